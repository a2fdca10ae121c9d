internal import FileRecords
internal import FoundationEssentials
internal import KairanInterface

/// Bytes that never change: the id of an asset, and the size that the record states.
struct FileContent: Sendable, Hashable {
    /// The id of the asset.
    var asset: String
    /// The number of bytes.
    ///
    /// It is a part of the identity, since records can state different sizes of one asset; the daemon refuses to read by a false one.
    var byteCount: UInt64
}

/// The place in the zone from which a content is read.
struct FilePlace: Sendable, Hashable {
    /// The name of the record.
    var record: Name
    /// The field of the record.
    var field: Name
    /// The index in the field's list or set; `nil` where the field itself is the asset.
    var item: Int?

    /// The place as the interface names it.
    func place(in zone: String) -> Asset.Place {
        Asset.Place(zone: zone, record: record.wrappedValue, field: field.wrappedValue, item: item)
    }
}

/// The file that a record describes, and the version in which it does: the condition of a write that replaces it.
struct FileSource: Sendable, Hashable {
    /// The file.
    var file: FileRecord
    /// The version of the record.
    var version: String
    /// The number of fields of the record with concurrent values that disagree.
    var conflictCount: Int
}

/// The facts about a file that records state; all of them are here without its content.
struct MountedFile: Sendable, Hashable {
    /// The content.
    var content: FileContent
    /// The place from which the content is read.
    var place: FilePlace
    /// The time of the last change of the file, else of its record, in milliseconds since 1970.
    var modified: Int64
    /// Whether it may be executed.
    var isExecutable: Bool
    /// The media type of the content; `nil` where none is stated.
    var mediaType: String?
    /// The SHA-256 of the content in hexadecimal digits; `nil` where none is stated.
    var digest: String?
    /// The device that wrote the record last.
    var device: String
    /// The number of fields of the record with concurrent values that disagree.
    var conflictCount: Int
    /// The number of bytes of the small picture; 0 where none is stated.
    var thumbnailByteCount: Int

    /// Describes the asset of a record.
    init(_ asset: AssetDescription, at place: FilePlace, of record: Record, file: FileRecord? = nil) {
        content = FileContent(asset: asset.asset, byteCount: asset.size)
        self.place = place
        modified = (asset.modifiedAt ?? record.modifiedAt).roundedMilliseconds
        isExecutable = file?.isExecutable ?? false
        mediaType = asset.mediaType
        digest = file?.digest?.hexadecimal
        device = record.modifiedBy
        conflictCount = record.conflicts
        thumbnailByteCount = asset.thumbnail?.count ?? 0
    }
}
