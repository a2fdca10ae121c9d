/// A record in an export; its text is also a line of an import.
public struct ExportedRecord: Sendable, Hashable, Codable {
    /// Its name.
    @Name public var name: String
    /// Its type.
    @Name public var type: String
    /// Its fields by name.
    public var fields: NameDictionary<RecordValue>
    /// Names its state; an import does not look at it.
    public var version: String
}
