/// A warning that a person can act on.
public struct HealthNotice: Sendable, Hashable, Codable {
    /// Stable, for programs.
    public var code: String
    /// `info`, `warning` or `critical`.
    public var severity: String
    /// What is the matter.
    public var message: String
    /// What to do.
    public var fix: String

    enum CodingKeys: String, CodingKey {
        case code, severity, message, fix
    }
}
