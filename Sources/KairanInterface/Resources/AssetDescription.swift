public import FoundationEssentials

/// The value of a field that names bytes which travel apart from the record, such as those of a photo.
///
/// The description is available without the bytes: a device that has the record can show a placeholder.
public struct AssetDescription: Sendable, Hashable, Codable {
    /// Names the content: the id of an upload to the same zone, or of another asset of a record of that zone.
    public var asset: String
    /// The number of bytes of the content; a write ignores it, because the daemon knows the size.
    public var size: UInt64
    /// The media type of the content, for example `image/jpeg`; `nil` where none is stated.
    public var mediaType: String?
    /// The name of the file, without a folder and of at most 255 bytes; `nil` where none is stated.
    public var name: String?
    /// The time of the last change of the file, to the millisecond; `nil` where none is stated.
    public var modifiedAt: Date?
    /// A small picture of the content, which is a part of the record; `nil` where none is stated.
    public var thumbnail: Data?

    /// Describes content, usually that of an upload.
    public init(
        asset: String,
        size: UInt64 = 0,
        mediaType: String? = nil,
        name: String? = nil,
        modifiedAt: Date? = nil,
        thumbnail: Data? = nil
    ) {
        self.asset = asset
        self.size = size
        self.mediaType = mediaType
        self.name = name
        self.modifiedAt = modifiedAt
        self.thumbnail = thumbnail
    }

    /// Whether both describe the same content in the same way; names are compared by their bytes.
    public static func == (left: AssetDescription, right: AssetDescription) -> Bool {
        left.asset == right.asset && left.size == right.size && left.mediaType == right.mediaType
            && left.name.map { Name($0) } == right.name.map { Name($0) } && left.modifiedAt == right.modifiedAt
            && left.thumbnail == right.thumbnail
    }

    /// Feeds the content and the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(asset)
        hasher.combine(name.map { Name($0) })
    }

    enum CodingKeys: String, CodingKey {
        case asset, size
        case mediaType = "media_type"
        case name
        case modifiedAt = "modified_at"
        case thumbnail
    }
}

extension AssetDescription: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["media_type", "name", "modified_at", "thumbnail"]
}

extension AssetDescription {
    /// The description in the form of the interface, without the `$asset` around it.
    var json: JSONValue {
        var members = [
            JSONMember("asset", .string(asset)), JSONMember("size", .integer(Int64(clamping: size))),
        ]
        if let mediaType { members.append(JSONMember("media_type", .string(mediaType))) }
        if let name { members.append(JSONMember("name", .string(name))) }
        if let modifiedAt {
            let text = RFC3339.text(milliseconds: modifiedAt.roundedMilliseconds)
            members.append(JSONMember("modified_at", .string(text)))
        }
        if let thumbnail { members.append(JSONMember("thumbnail", .string(thumbnail.base64EncodedString()))) }
        return .object(members)
    }

    /// Reads the form of the interface; `nil` for any other JSON.
    ///
    /// Only the id is required: that of a write may be without a size.
    init?(json: JSONValue) {
        guard let members = json.members, let asset = json["asset"]?.text else { return nil }
        self.init(asset: asset)
        for member in members {
            switch member.name {
            case "asset": break
            case "size":
                guard let size = member.value.integer.flatMap({ UInt64(exactly: $0) }) else { return nil }
                self.size = size
            case "media_type":
                guard let text = member.value.text else { return nil }
                mediaType = text
            case "name":
                guard let text = member.value.text else { return nil }
                name = text
            case "modified_at":
                guard let time = member.value.text.flatMap(RFC3339.milliseconds) else { return nil }
                modifiedAt = Date(milliseconds: time)
            case "thumbnail":
                guard let data = member.value.text.flatMap({ Data(base64Encoded: $0) }) else { return nil }
                thumbnail = data
            // A member of a later version.
            default: break
            }
        }
    }
}
