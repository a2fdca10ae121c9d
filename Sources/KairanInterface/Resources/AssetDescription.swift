/// The description of a large object, available without fetching it.
public struct AssetDescription: Sendable, Hashable, Codable {
    /// Names the content.
    public var root: String
    /// Bytes.
    public var size: UInt64
    /// For example `image/jpeg`.
    public var mediaType: String

    enum CodingKeys: String, CodingKey {
        case root, size
        case mediaType = "media_type"
    }
}
