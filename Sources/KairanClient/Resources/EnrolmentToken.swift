public import FoundationEssentials

/// A token that lets machines into the account without anybody before them.
public struct EnrolmentToken: Sendable, Hashable, Codable {
    /// What goes into the file; it is not shown again.
    public var token: String
    /// How many machines it lets in.
    public var uses: Int
    /// When it ends.
    public var expiresAt: Date
    /// What these machines may do: `full`, `read_only` or `relay_only`.
    public var role: String

    enum CodingKeys: String, CodingKey {
        case token, uses, role
        case expiresAt = "expires_at"
    }
}
