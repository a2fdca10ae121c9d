/// A zone that was here and is not any more.
public struct GoneZone: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// Its name, which may be another one's by now.
    public var name: String
    /// The container that it belonged to.
    public var container: String
    /// `deleted`, `left` or `account_changed`.
    public var kind: String
    /// The reason that its owner gave.
    public var reason: String?

    enum CodingKeys: String, CodingKey {
        case zone, name, container, kind, reason
    }
}
