public import FoundationEssentials

/// A token that admits machines to the account without a person's confirmation.
public struct EnrolmentToken: Sendable, Hashable, Codable {
    /// The token as it goes into the file; it is not shown again.
    public var token: String
    /// The number of machines that it admits.
    public var uses: Int
    /// The time at which it expires.
    public var expiresAt: Date
    /// The role of these machines: `full`, `read_only` or `relay_only`.
    public var role: String

    enum CodingKeys: String, CodingKey {
        case token, uses, role
        case expiresAt = "expires_at"
    }
}
