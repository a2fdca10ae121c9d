/// A record in an export; its text is also a line of an import.
public struct ExportedRecord: Sendable, Hashable, Codable {
    /// Its name.
    public var name: String
    /// Its type.
    public var type: String
    /// Its fields by name.
    public var fields: [String: RecordValue]
    /// Names its state; an import does not look at it.
    public var version: String
}
