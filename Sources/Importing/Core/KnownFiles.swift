import FoundationEssentials
package import FileRecords
package import KairanInterface

/// The content that the record of a file names.
package struct KnownContent: Sendable, Hashable {
    /// The id.
    package var asset: String
    /// The number of its bytes.
    package var size: UInt64
    /// The time of the file, in milliseconds since 1970; `nil` where none is stated.
    package var modifiedMilliseconds: Int64?
    /// Whether all of it is on this device.
    package var isHere: Bool
    /// Whether no connected device has it.
    package var isMissing: Bool
}

/// A content with a digest, which is on this device as a whole.
package struct HeldContent: Sendable, Hashable {
    /// The id.
    package var asset: String
    /// The name of the record that states the digest; `nil` where this import has computed it.
    package var statedBy: String?
}

/// The record of a file, as far as an import compares files with it.
package struct KnownFile: Sendable, Hashable {
    /// The version of the record.
    package var version: String
    /// The digest of the content; `nil` where none is stated.
    package var digest: FileDigest?
    /// The id of the content that the digest is of.
    package var digestedContent: String?
    /// Whether the file's owner may execute it.
    package var isExecutable: Bool
    /// Whether fields of the record have concurrent values.
    package var hasConflict: Bool
    /// The content; `nil` where the zone's list of assets lacks it.
    package var content: KnownContent?
}

/// The files of a zone, and the contents that it has.
///
/// It is made of two lists of the daemon, neither of which has thumbnails: first the records, then the assets. A record that changes between
/// the two has an older version here, so that a conditional write of it is refused.
package struct KnownFiles: Sendable {
    /// The fields of the records that it is made of.
    package static let fields = [
        FileRecord.Field.path, FileRecord.Field.digest, FileRecord.Field.digestedContent, FileRecord.Field.isExecutable,
    ]

    /// A digest and the size of the content that it is said to be of.
    ///
    /// The size is that of the content itself, so that a digest that a program has left behind when it replaced the content leads nowhere.
    private struct Measure: Hashable {
        var digest: FileDigest
        var size: UInt64
    }

    private var files: [Name: KnownFile] = [:]
    private var contents: [Measure: HeldContent] = [:]
    private var sizes: Set<UInt64> = []
    /// The files that are linked to contents of the zone, by their paths below the imported folder.
    private var linked: Set<String> = []

    /// Knows no file.
    package init() {}

    /// The number of files.
    package var count: Int { files.count }

    /// Enters a record; one that is no file is left out.
    package mutating func note(_ record: Record) {
        guard !record.isDeleted, record.type.isSameName(as: FileRecord.type),
            case .string(let text)? = record.fields[FileRecord.Field.path], let path = FilePath(text),
            path.recordName.isSameName(as: record.name)
        else { return }
        var file = KnownFile(version: record.version, isExecutable: false, hasConflict: record.conflicts > 0)
        if case .bytes(let bytes)? = record.fields[FileRecord.Field.digest] { file.digest = FileDigest(bytes) }
        if case .string(let asset)? = record.fields[FileRecord.Field.digestedContent] { file.digestedContent = asset }
        if case .bool(true)? = record.fields[FileRecord.Field.isExecutable] { file.isExecutable = true }
        files[Name(record.name)] = file
    }

    /// Enters the content of a file whose record was entered before.
    package mutating func note(_ asset: Asset) {
        let name = Name(asset.record)
        guard asset.item == nil, asset.field.isSameName(as: FileRecord.Field.content), var file = files[name] else {
            return
        }
        let content = KnownContent(
            asset: asset.asset,
            size: asset.size,
            modifiedMilliseconds: asset.modifiedAt.map(\.roundedMilliseconds),
            isHere: asset.state == .present,
            isMissing: asset.state == .missing
        )
        file.content = content
        // After a merge, and where a program has replaced the content alone, it is the digest of another one.
        if file.digestedContent != content.asset { file.digest = nil }
        files[name] = file
        if let digest = file.digest {
            sizes.insert(content.size)
            // The record would name content that this device may never get, and the file is here.
            guard content.isHere else { return }
            let held = HeldContent(asset: content.asset, statedBy: asset.record)
            contents[Measure(digest: digest, size: content.size)] = held
        }
    }

    /// Enters a link; one of a file elsewhere, or of a file that has other content by now, is left out.
    /// - Parameters:
    ///   - link: The link.
    ///   - folder: The path of the imported folder.
    package mutating func note(_ link: AssetLink, in folder: String) {
        let beginning = folder.hasSuffix("/") ? folder : folder + "/"
        guard link.state == .sound, link.place != nil, link.file.hasPrefix(beginning) else { return }
        linked.insert(String(link.file.dropFirst(beginning.count)))
    }

    /// Whether a file is linked to content that a record of the zone names: one that was moved has the record of its former path.
    package func isLinked(_ source: FilePath) -> Bool { linked.contains(source.text) }

    /// The record of a path.
    package subscript(path: FilePath) -> KnownFile? { files[Name(path.recordName)] }

    /// The content with a digest and a size, which is on this device as a whole; `nil` for none.
    package func content(of digest: FileDigest, size: UInt64) -> HeldContent? {
        contents[Measure(digest: digest, size: size)]
    }

    /// Whether the digest of some content of this size is known.
    package func hasContent(ofSize size: UInt64) -> Bool { sizes.contains(size) }

    /// Enters content that was uploaded, or read.
    package mutating func hold(_ digest: FileDigest, size: UInt64, asset: String) {
        contents[Measure(digest: digest, size: size)] = HeldContent(asset: asset)
        sizes.insert(size)
    }

    /// Takes note that no record of the zone names the content with a digest and a size any more, or that it has another digest.
    package mutating func forget(_ digest: FileDigest, size: UInt64) {
        contents[Measure(digest: digest, size: size)] = nil
    }

    /// Replaces the record of a path.
    /// - Parameters:
    ///   - path: The path.
    ///   - record: The record as it is now; `nil` where there is none.
    /// - Returns: Whether the path can be imported: the record is a file, or there is none.
    package mutating func replace(_ path: FilePath, with record: Record?) -> Bool {
        let name = Name(path.recordName)
        files[name] = nil
        guard let record, !record.isDeleted else { return true }
        guard let file = FileRecord(record), file.path == path else { return false }
        let content = KnownContent(
            asset: file.content.asset,
            size: file.content.size,
            modifiedMilliseconds: file.content.modifiedAt.map(\.roundedMilliseconds),
            isHere: false,
            isMissing: false
        )
        files[name] = KnownFile(
            version: record.version,
            digest: file.digest,
            digestedContent: file.digest == nil ? nil : file.content.asset,
            isExecutable: file.isExecutable,
            hasConflict: record.conflicts > 0,
            content: content
        )
        return true
    }
}
