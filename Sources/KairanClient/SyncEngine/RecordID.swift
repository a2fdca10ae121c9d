/// Names a record.
///
/// Names are bytes: two that only look the same are names of two records.
public struct RecordID: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Its zone's id.
    @Name public var zone: String
    /// Its name in the zone.
    @Name public var name: String

    /// Names a record.
    public init(zone: String, name: String) {
        self.zone = zone
        self.name = name
    }

    /// Zone and name.
    public var description: String { "\(zone)/\(name)" }
}
