/// A warning that a person can act on.
public struct HealthNotice: Sendable, Hashable, Codable {
    /// Stable, for programs.
    public var code: String
    /// `info`, `warning` or `critical`.
    public var severity: String
    /// The problem.
    public var message: String
    /// The remedy.
    public var fix: String
    /// Whether a person has acknowledged it; `nil` from an older daemon.
    public var isAcknowledged: Bool?

    enum CodingKeys: String, CodingKey {
        case code, severity, message, fix
        case isAcknowledged = "acknowledged"
    }
}
