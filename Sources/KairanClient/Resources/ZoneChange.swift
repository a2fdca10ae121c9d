/// News of a zone itself.
public struct ZoneChange: Sendable, Hashable, Codable {
    /// Whether it is not among those any more that were asked for; then its records are gone with it.
    public var isDeleted: Bool
    /// Why it is not: `deleted`, `left` or `moved`.
    public var reason: String?
    /// The zone as it is now.
    public var zone: Zone

    enum CodingKeys: String, CodingKey {
        case reason, zone
        case isDeleted = "deleted"
    }
}
