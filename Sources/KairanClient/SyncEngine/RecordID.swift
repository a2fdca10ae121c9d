/// Names a record.
///
/// Names are bytes: two that only look the same are names of two records.
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

    /// Whether both are the same bytes.
    public static func == (left: RecordID, right: RecordID) -> Bool {
        left.zone == right.zone && left.name.utf8.elementsEqual(right.name.utf8)
    }

    /// Feeds zone and name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(zone)
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}
