/// The outcome of one of the daemon's checks of itself.
public struct HealthCheck: Sendable, Hashable, Codable {
    /// Stable, for programs: the check's, or that of a warning which is no check's finding.
    public var code: String
    /// Whether nothing was found.
    public var isGood: Bool
    /// `info`, `warning` or `critical`; `info` where nothing was found.
    public var severity: String
    /// The finding, or the subject of the check.
    public var message: String
    /// The remedy; empty without a finding.
    public var fix: String
    /// The statements of other devices that the outcome is made of; nil from a daemon that does not list them.
    public var statements: [Statement]?

    /// The statement of another device whether it could connect to this one.
    public struct Statement: Sendable, Hashable, Codable {
        /// The device's id.
        public var device: String
        /// Its name, as its account gives it.
        public var name: String
        /// Whether it belongs to the daemon's account; the other ones decide nothing.
        public var isOwn: Bool
        /// `reached`, `refused`, `silent` or `not_tried`.
        public var outcome: String
        /// The age of the statement, in milliseconds.
        public var ageMilliseconds: Int

        enum CodingKeys: String, CodingKey {
            case device, name, outcome
            case isOwn = "own_account"
            case ageMilliseconds = "age_ms"
        }
    }

    enum CodingKeys: String, CodingKey {
        case code, severity, message, fix, statements
        case isGood = "ok"
    }
}
