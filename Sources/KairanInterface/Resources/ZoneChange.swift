/// News of a zone itself.
public struct ZoneChange: Sendable, Hashable, Codable {
    /// Whether it is not among those any more that were asked for: then its records are gone with it.
    public var isDeleted: Bool
    /// Why it is not: `deleted`, `left` or `moved`.
    public var reason: String?
    /// The current description of the zone.
    public var zone: Zone

    /// That it went; `nil` when it is there.
    public var departure: ZoneDeparture? {
        guard isDeleted else { return nil }
        // A reason of a later version is one by which it is not there for this account either.
        return ZoneDeparture(zone: zone.zone, reason: reason.flatMap(ZoneDeparture.Reason.init) ?? .left)
    }

    /// Makes a change of a zone.
    public init(_ zone: Zone, departure: ZoneDeparture.Reason? = nil) {
        self.isDeleted = departure != nil
        self.reason = departure?.rawValue
        self.zone = zone
    }

    enum CodingKeys: String, CodingKey {
        case isDeleted = "deleted"
        case reason, zone
    }
}
