/// A warning that a person can act on.
public struct HealthNotice: Sendable, Hashable, Codable {
    /// The severity of a warning.
    public struct Severity: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Worth knowing.
        public static let info = Severity(rawValue: "info")
        /// Something works less well than it should.
        public static let warning = Severity(rawValue: "warning")
        /// Data is at risk, or nothing is synchronised.
        public static let critical = Severity(rawValue: "critical")
        /// The words that this version knows.
        public static let known: [Severity] = [.info, .warning, .critical]
    }

    /// Stable, for programs.
    public var code: String
    /// The severity.
    public var severity: Severity
    /// The problem.
    public var message: String
    /// The remedy.
    public var fix: String
    /// Whether a person has acknowledged it; `nil` from an older daemon.
    public var isAcknowledged: Bool?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(code: String, severity: Severity, message: String, fix: String, isAcknowledged: Bool?) {
        self.code = code
        self.severity = severity
        self.message = message
        self.fix = fix
        self.isAcknowledged = isAcknowledged
    }

    enum CodingKeys: String, CodingKey {
        case code, severity, message, fix
        case isAcknowledged = "acknowledged"
    }
}
