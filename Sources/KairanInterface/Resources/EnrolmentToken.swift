public import FoundationEssentials

/// A token that admits machines to the account without a person's confirmation.
public struct EnrolmentToken: Sendable, Hashable, Codable {
    /// The token as it goes into the file; it is not shown again.
    public var token: String
    /// The number of machines that it admits.
    public var uses: Int
    /// The time at which it expires.
    public var expiresAt: Date
    /// The role of these machines.
    public var role: Device.Role

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(token: String, uses: Int, expiresAt: Date, role: Device.Role) {
        (self.token, self.uses, self.expiresAt, self.role) = (token, uses, expiresAt, role)
    }

    enum CodingKeys: String, CodingKey {
        case token, uses
        case expiresAt = "expires_at"
        case role
    }
}
