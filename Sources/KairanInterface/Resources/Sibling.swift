/// One side of a conflict.
public struct Sibling: Sendable, Hashable, Codable {
    /// Names the side.
    public var version: String
    /// The device that wrote it.
    public var by: String
    /// Its fields.
    public var fields: NameDictionary<RecordValue>

    enum CodingKeys: String, CodingKey {
        case version, by, fields
    }
}
