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

    enum CodingKeys: String, CodingKey {
        case zones, changes, token, more
    }
}
