public import FoundationEssentials

/// An open offer of a place in the account.
public struct PairingOffer: Sendable, Hashable, Codable {
    /// The ticket to type on the other device.
    public var ticket: String
    /// The time at which it expires.
    public var expiresAt: Date

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(ticket: String, expiresAt: Date) {
        (self.ticket, self.expiresAt) = (ticket, expiresAt)
    }

    enum CodingKeys: String, CodingKey {
        case ticket
        case expiresAt = "expires_at"
    }
}
