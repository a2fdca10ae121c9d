/// Whether a program can work with the account now.
public struct AccountAvailability: Sendable, Hashable, Codable {
    /// The states of an account for a program.
    public struct Status: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// All is well.
        public static let available = Status(rawValue: "available")
        /// This device was removed, and belongs to no account any more.
        public static let noAccount = Status(rawValue: "no_account")
        /// The account is there, and the program may not write.
        public static let restricted = Status(rawValue: "restricted")
        /// Writing does not work just now.
        public static let temporarilyUnavailable = Status(rawValue: "temporarily_unavailable")
        /// The words that this version knows.
        public static let known: [Status] = [.available, .noAccount, .restricted, .temporarilyUnavailable]
    }

    /// The account.
    public var account: String
    /// The state of the account.
    public var status: Status
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

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        account: String,
        status: Status,
        mayWrite: Bool,
        reason: Reason?,
        isRecovering: Bool,
        usedBytes: UInt64,
        limitBytes: UInt64?
    ) {
        self.account = account
        self.status = status
        self.mayWrite = mayWrite
        self.reason = reason
        self.isRecovering = isRecovering
        self.usedBytes = usedBytes
        self.limitBytes = limitBytes
    }

    /// Why a program may not write.
    public struct Reason: Sendable, Hashable, Codable {
        /// The code of the problem that a write would be refused with.
        public var code: String
        /// The problem, for people.
        public var message: String
        /// The remedy, for people.
        public var fix: String

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(code: String, message: String, fix: String) {
            (self.code, self.message, self.fix) = (code, message, fix)
        }
    }

    enum CodingKeys: String, CodingKey {
        case account, status
        case mayWrite = "may_write"
        case reason
        case isRecovering = "recovering"
        case usedBytes = "used_bytes"
        case limitBytes = "limit_bytes"
    }
}
