public import FoundationEssentials

/// An open offer of a place in the account.
public struct PairingOffer: Sendable, Hashable, Codable {
    /// The ticket to type on the other device.
    public var ticket: String
    /// The time at which it expires.
    public var expiresAt: Date

    enum CodingKeys: String, CodingKey {
        case ticket
        case expiresAt = "expires_at"
    }
}
