package import FileRecords

/// The state of a file in which folder and zone were last in step: the common ancestor of both sides.
package struct FolderBase: Sendable, Hashable {
    /// The digest of the file's content.
    package var digest: FileDigest
    /// The file in the folder.
    package var identity: FileIdentity
    /// The version of the record.
    package var version: String
    /// The id of the content that the record names.
    package var asset: String
    /// Whether the content of that id was seen to have the digest here; otherwise another device has stated so.
    package var isVerified: Bool
    /// Whether the record says that the owner may execute the file.
    ///
    /// A file system without such a mark shows another one in ``identity``.
    package var isExecutable: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        digest: FileDigest,
        identity: FileIdentity,
        version: String,
        asset: String,
        isVerified: Bool,
        isExecutable: Bool
    ) {
        self.digest = digest
        self.identity = identity
        self.version = version
        self.asset = asset
        self.isVerified = isVerified
        self.isExecutable = isExecutable
    }
}

/// A file of the zone, by its record.
package struct ZoneFile: Sendable, Hashable {
    /// The file.
    package var file: FileRecord
    /// The version of the record.
    package var version: String
    /// The number of fields of the record whose concurrent values disagree.
    package var conflicts: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(file: FileRecord, version: String, conflicts: Int = 0) {
        (self.file, self.version, self.conflicts) = (file, version, conflicts)
    }
}

/// A change of the bases, to be kept on the disk.
package enum BaseChange: Sendable, Hashable {
    /// A path has this base from now on.
    case set(FilePath, FolderBase)
    /// A path has no base any more.
    case forget(FilePath)
}
