/// Whether a program can work with the account now.
public struct AccountAvailability: Sendable, Hashable, Codable {
    /// The account.
    public var account: String
    /// `available`, `no_account`, `restricted` or `temporarily_unavailable`.
    public var status: String
    /// Whether the program may write now.
    public var mayWrite: Bool
    /// Why not; `nil` if it may.
    public var reason: Reason?
    /// Whether the store was lost or restored, and is still being filled again.
    public var isRecovering: Bool
    /// The total size of the program's records in bytes.
    public var usedBytes: UInt64
    /// The limit of that size in bytes; `nil` without a limit.
    public var limitBytes: UInt64?

    /// Why a program may not write.
    public struct Reason: Sendable, Hashable, Codable {
        /// The code of the problem that a write would be refused with.
        public var code: String
        /// The problem, for people.
        public var message: String
        /// The remedy, for people.
        public var fix: String
    }

    enum CodingKeys: String, CodingKey {
        case account, status, reason
        case mayWrite = "may_write"
        case isRecovering = "recovering"
        case usedBytes = "used_bytes"
        case limitBytes = "limit_bytes"
    }
}
