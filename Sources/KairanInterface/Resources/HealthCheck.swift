/// The outcome of one of the daemon's checks of itself.
public struct HealthCheck: Sendable, Hashable, Codable {
    /// Stable, for programs: the check's, or that of a warning which is no check's finding.
    public var code: String
    /// Whether nothing was found.
    public var isGood: Bool
    /// The severity of the finding; `info` where nothing was found.
    public var severity: HealthNotice.Severity
    /// The finding, or the subject of the check.
    public var message: String
    /// The remedy; empty without a finding.
    public var fix: String
    /// The statements of other devices that the outcome is made of; nil from a daemon that does not list them.
    public var statements: [Statement]?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        code: String,
        isGood: Bool,
        severity: HealthNotice.Severity,
        message: String,
        fix: String,
        statements: [Statement]?
    ) {
        self.code = code
        self.isGood = isGood
        self.severity = severity
        self.message = message
        self.fix = fix
        self.statements = statements
    }

    /// The statement of another device whether it could connect to this one.
    public struct Statement: Sendable, Hashable, Codable {
        /// The outcome of a device's attempt to connect.
        public struct Outcome: InterfaceWord {
            /// The word on the interface.
            public let rawValue: String
            /// Names a word, which need not be a known one.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The connection stood.
            public static let reached = Outcome(rawValue: "reached")
            /// It was turned away: nothing listens there, or a firewall rejects it.
            public static let refused = Outcome(rawValue: "refused")
            /// No answer came in time.
            public static let silent = Outcome(rawValue: "silent")
            /// No attempt was made: no address is known, or it was tried a moment ago.
            public static let notTried = Outcome(rawValue: "not_tried")
            /// The words that this version knows.
            public static let known: [Outcome] = [.reached, .refused, .silent, .notTried]
        }

        /// The device's id.
        public var device: String
        /// Its name, as its account gives it.
        public var name: String
        /// Whether it belongs to the daemon's account; the other ones decide nothing.
        public var isOwn: Bool
        /// The outcome of its attempt.
        public var outcome: Outcome
        /// The age of the statement, in milliseconds.
        public var ageMilliseconds: Int

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(device: String, name: String, isOwn: Bool, outcome: Outcome, ageMilliseconds: Int) {
            self.device = device
            self.name = name
            self.isOwn = isOwn
            self.outcome = outcome
            self.ageMilliseconds = ageMilliseconds
        }

        enum CodingKeys: String, CodingKey {
            case device, name
            case isOwn = "own_account"
            case outcome
            case ageMilliseconds = "age_ms"
        }
    }

    enum CodingKeys: String, CodingKey {
        case code
        case isGood = "ok"
        case severity, message, fix, statements
    }
}
