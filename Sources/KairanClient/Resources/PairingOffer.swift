public import FoundationEssentials

/// An open offer of a place in the account.
public struct PairingOffer: Sendable, Hashable, Codable {
    /// What is typed on the other device.
    public var ticket: String
    /// The ticket as a QR code of block characters.
    public var qrCode: String
    /// When it ends.
    public var expiresAt: Date

    enum CodingKeys: String, CodingKey {
        case ticket
        case qrCode = "qr_code"
        case expiresAt = "expires_at"
    }
}
