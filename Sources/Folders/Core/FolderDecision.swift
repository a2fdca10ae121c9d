package import FileRecords
package import KairanInterface

/// Something to do, in the folder or at the daemon.
///
/// A decision names the states that it was made for. The driver checks these at the last moment, and does nothing where they do not hold any
/// more.
package enum FolderDecision: Sendable, Hashable {
    /// Compute the digest of a file.
    case hash(FilePath, FileIdentity)
    /// Upload the content of a file.
    case upload(FilePath, FileIdentity, FileDigest)
    /// Write a record that names content which the daemon has; the version is empty if there must be no record.
    case write(FileRecord, ifVersion: String)
    /// Put the content of a record into the folder.
    case download(FileRecord, expecting: LocalExpectation)
    /// Give a file the mark of execution, or take it from the file.
    case mark(FilePath, isExecutable: Bool, expecting: FileIdentity)
    /// Move a file to the trash.
    case trash(FilePath, expecting: FileIdentity)
    /// Delete a record, if the folder has no file of this path.
    case deleteRecord(FilePath, ifVersion: String)
    /// Move a file aside, so that the zone's one can take its place.
    case keepBoth(FilePath, expecting: FileIdentity, as: FilePath)
    /// Compute the digest of a record's content.
    case inspect(FileRecord)
    /// Read a record with its concurrent versions.
    case look(FilePath)
    /// Write records all at once or not at all: one for each lost version of a conflict, and the one that ends the conflict.
    case split(FilePath, [ZoneFile])
    /// Find out whether a record was deleted, or is not known to the daemon.
    case ask(FilePath)

    /// The path that it is about.
    package var path: FilePath {
        switch self {
        case .hash(let path, _), .upload(let path, _, _), .mark(let path, _, _), .trash(let path, _),
            .deleteRecord(let path, _), .keepBoth(let path, _, _), .look(let path), .split(let path, _), .ask(let path):
            path
        case .write(let file, _), .download(let file, _), .inspect(let file): file.path
        }
    }

    /// The kind of its work.
    package var work: FolderWork {
        switch self {
        case .hash: .hashing
        case .upload: .uploading
        case .download, .inspect: .downloading
        case .write, .mark, .trash, .deleteRecord, .keepBoth, .look, .split, .ask: .quick
        }
    }
}

/// Work of one kind, of which only some is done at a time.
package enum FolderWork: Sendable, Hashable, CaseIterable {
    /// Computing digests.
    case hashing
    /// Sending content to the daemon.
    case uploading
    /// Reading content from the daemon, which may have to fetch it.
    case downloading
    /// Everything that is done at once.
    case quick

    /// The most that is done at a time.
    package var width: Int {
        switch self {
        case .hashing, .uploading: 2
        case .downloading, .quick: 4
        }
    }
}

/// The outcome of a decision.
package enum FolderOutcome: Sendable, Hashable {
    /// The digest of the file or content.
    case hashed(FileDigest)
    /// The file was uploaded, unchanged, under this id.
    case uploaded(asset: String)
    /// The records as they are after the write, in the order of the decision.
    case written([Record])
    /// The file that is in the folder now, with the digest of its content.
    case placed(FileIdentity, FileDigest)
    /// The file as it is now, after its mark or its name was changed.
    case changed(FileIdentity)
    /// It was moved to the trash, or deleted in the zone.
    case gone
    /// The record, `nil` if it is gone, and the sides of its conflict, the shown one first.
    case looked(Record?, [Sibling])
    /// The record, or whether it was deleted.
    case asked(Record?, wasDeleted: Bool)
    /// The file is not the expected one: the present file, `nil` for none.
    case stale(FileIdentity?)
    /// A file of the new name exists.
    case taken
    /// The record has another version: the present record, `nil` where it is gone or not stated.
    case mismatch(Record?)
    /// The daemon does not know the content that the write names.
    case contentUnknown
    /// It was only to be shown.
    case skipped
    /// It could not be done.
    case failed(FolderFailure)
}

/// The reason why something could not be done.
package struct FolderFailure: Sendable, Hashable {
    /// The reason, as a sentence.
    package var reason: String
    /// Whether trying again soon may help; otherwise a person has to change something.
    package var isTemporary: Bool
    /// Whether the connection to the daemon is the reason, so that it is none of this path alone.
    package var isOfLink: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(_ reason: String, isTemporary: Bool, isOfLink: Bool = false) {
        (self.reason, self.isTemporary, self.isOfLink) = (reason, isTemporary, isOfLink)
    }
}

/// News for people.
package enum FolderNews: Sendable, Hashable {
    /// The zone has the file now.
    case uploaded(FilePath)
    /// The folder has the file now.
    case downloaded(FilePath)
    /// Both had the same file already.
    case adopted(FilePath)
    /// The file has the mark of execution now, or has lost it.
    case marked(FilePath, isExecutable: Bool)
    /// The file is in the trash, because it was deleted in the zone.
    case trashed(FilePath)
    /// The record was deleted, because the file was.
    case deleted(FilePath)
    /// Both sides had changed the file: the folder's version has this other path now.
    case conflict(FilePath, kept: FilePath)
    /// Versions of several devices were in one record: the lost ones have these paths now.
    case split(FilePath, [FilePath])
    /// The path is not kept in step.
    case problem(String, reason: String)
}
