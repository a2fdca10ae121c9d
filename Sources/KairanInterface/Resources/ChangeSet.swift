/// Changes behind a token, each record once.
public struct ChangeSet: Sendable, Hashable, Codable {
    /// Zones that came, changed or went: to be taken in before the changes.
    public var zones: [ZoneChange] = []
    /// Oldest first.
    public var changes: [Change]
    /// Continue from here; it outlives restarts of both sides.
    public var token: String
    /// Whether more is there already.
    public var more: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zones: [ZoneChange], changes: [Change], token: String, more: Bool) {
        (self.zones, self.changes, self.token, self.more) = (zones, changes, token, more)
    }

    enum CodingKeys: String, CodingKey {
        case zones, changes, token, more
    }
}
