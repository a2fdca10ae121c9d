/// A zone that was here and is not any more.
public struct GoneZone: Sendable, Hashable, Codable {
    /// The event that ended a zone here.
    public struct Kind: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Its owner deleted it, on all devices.
        public static let deleted = Kind(rawValue: "deleted")
        /// This account left it, or handed it over and kept no right; other accounts may have it.
        public static let left = Kind(rawValue: "left")
        /// It belongs to an account that this device has left; its records continue in a zone of the present one.
        public static let accountChanged = Kind(rawValue: "account_changed")
        /// The words that this version knows.
        public static let known: [Kind] = [.deleted, .left, .accountChanged]
    }

    /// The zone.
    public var zone: String
    /// Its name, which may be another one's by now.
    public var name: String
    /// The container that it belonged to.
    public var container: String
    /// The event that ended the zone here.
    public var kind: Kind
    /// The reason that its owner gave.
    public var reason: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, name: String, container: String, kind: Kind, reason: String?) {
        self.zone = zone
        self.name = name
        self.container = container
        self.kind = kind
        self.reason = reason
    }

    enum CodingKeys: String, CodingKey {
        case zone, name, container, kind, reason
    }
}
