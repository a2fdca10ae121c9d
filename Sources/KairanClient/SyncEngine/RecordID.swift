/// Names a record.
public struct RecordID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Its zone's id.
    public var zone: String
    /// Its name in the zone.
    public var name: String

    /// Names a record.
    public init(zone: String, name: String) {
        self.zone = zone
        self.name = name
    }

    /// Zone and name.
    public var description: String { "\(zone)/\(name)" }
}
