/// A warning that a person can act on.
package struct HealthWarning: Sendable, Hashable {
    /// How bad it is.
    package enum Severity: String, Sendable, CaseIterable {
        /// Worth knowing.
        case info
        /// Something works less well than it should.
        case warning
        /// Data is at risk or nothing syncs.
        case critical
    }

    /// Stable, for scripts.
    package var code: String
    /// How bad.
    package var severity: Severity
    /// What is the matter.
    package var message: String
    /// What to do.
    package var fix: String

    /// Makes a warning.
    package init(code: String, severity: Severity, message: String, fix: String) {
        self.code = code
        self.severity = severity
        self.message = message
        self.fix = fix
    }
}
