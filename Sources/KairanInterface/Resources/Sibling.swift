/// One side of a conflict.
public struct Sibling: Sendable, Hashable, Codable {
    /// Names the side.
    public var version: String
    /// The device that wrote it.
    public var by: String
    /// Its fields.
    public var fields: NameDictionary<RecordValue>

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(version: String, by: String, fields: NameDictionary<RecordValue>) {
        (self.version, self.by, self.fields) = (version, by, fields)
    }

    enum CodingKeys: String, CodingKey {
        case version, by, fields
    }
}
