package import KairanInterface

/// A file that a record of a zone describes.
///
/// The form is a convention of programs (`docs/protocol/files.md`): the folder that is kept in step, the import and the mount write and read it.
/// A record is a file if its type is `File`, its `path` is a path whose ``FilePath/recordName`` is the record's name, and its `content` is
/// one asset. Fields that are not named here belong to other programs and stay as they are.
package struct FileRecord: Sendable, Hashable {
    /// The type of these records.
    package static let type = "File"

    /// The names of their fields.
    package enum Field {
        /// The path, a text.
        package static let path = "path"
        /// The content, an asset.
        package static let content = "content"
        /// The SHA-256 of the content, 32 bytes; left out where the writer did not compute it.
        package static let digest = "sha256"
        /// The id of the content that the digest is of, a text.
        package static let digestedContent = "sha256_of"
        /// Whether the file's owner may execute it, a truth value; left out where not.
        package static let isExecutable = "executable"
        /// The path of the file that this one is another version of, a text; left out for all other files.
        package static let conflictOf = "conflict_of"
    }

    /// The path.
    package var path: FilePath
    /// The content.
    package var content: AssetDescription
    /// The digest of the content; `nil` where none is stated.
    package var digest: FileDigest?
    /// Whether the file's owner may execute it.
    package var isExecutable: Bool
    /// The file that this one is another version of, because both were written without knowledge of each other.
    package var conflictOf: FilePath?

    /// Describes a file.
    /// - Parameters:
    ///   - path: The path.
    ///   - content: The content; its name becomes the last part of the path.
    ///   - digest: The digest of the content; `nil` where it was not computed.
    ///   - isExecutable: Whether the file's owner may execute it.
    ///   - conflictOf: The file that this one is another version of; `nil` for none.
    package init(
        path: FilePath,
        content: AssetDescription,
        digest: FileDigest?,
        isExecutable: Bool = false,
        conflictOf: FilePath? = nil
    ) {
        self.path = path
        self.content = content
        self.content.name = path.lastPart
        self.digest = digest
        self.isExecutable = isExecutable
        self.conflictOf = conflictOf
    }

    /// Reads a record, as the interface shows it; `nil` for a deleted one, and for one that is no file.
    package init?(_ record: Record) {
        guard !record.isDeleted, record.type.isSameName(as: Self.type),
            case .string(let text)? = record.fields[Field.path], let path = FilePath(text),
            path.recordName.isSameName(as: record.name),
            case .asset(let content)? = record.fields[Field.content]
        else { return nil }
        self.path = path
        self.content = content
        // After a merge a digest may stand beside the content of another writer, which stated none.
        if case .bytes(let bytes)? = record.fields[Field.digest],
            case .string(content.asset)? = record.fields[Field.digestedContent]
        {
            digest = FileDigest(bytes)
        }
        if case .bool(true)? = record.fields[Field.isExecutable] { isExecutable = true } else { isExecutable = false }
        if case .string(let text)? = record.fields[Field.conflictOf] { conflictOf = FilePath(text) }
    }

    /// The write that makes a record this file.
    /// - Parameter version: The version that the record must have, `""` for none; `nil` for any.
    /// - Returns: The write; it leaves fields alone that are not of this form, and a `conflict_of` that this file lacks.
    package func write(ifVersion version: String?) -> RecordWrite {
        var fields: NameDictionary<RecordValue> = [Field.path: .string(path.text), Field.content: .asset(content)]
        var removed: [String] = []
        if let digest {
            fields[Field.digest] = .bytes(digest.bytes)
            fields[Field.digestedContent] = .string(content.asset)
        } else {
            removed += [Field.digest, Field.digestedContent]
        }
        if isExecutable { fields[Field.isExecutable] = .bool(true) } else { removed.append(Field.isExecutable) }
        if let conflictOf { fields[Field.conflictOf] = .string(conflictOf.text) }
        return RecordWrite(path.recordName, type: Self.type, fields: fields, removing: removed, ifVersion: version)
    }
}
