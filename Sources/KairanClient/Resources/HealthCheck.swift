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

    enum CodingKeys: String, CodingKey {
        case code, severity, message, fix
        case isGood = "ok"
    }
}
