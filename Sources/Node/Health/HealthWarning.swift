/// A warning that a person can act on.
package struct HealthWarning: Sendable, Hashable {
    /// The severity of a warning.
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
    /// The severity.
    package var severity: Severity
    /// The fault, in words for people.
    package var message: String
    /// The remedy.
    package var fix: String
    /// Whether a person has acknowledged it.
    package var isAcknowledged = false
    /// The facts that it is about, for the log alone: the names and values of further fields, at most twelve.
    ///
    /// A warning with other facts than those that were logged is logged as well, while its code stands.
    package var facts: [String: String]

    /// Makes a warning.
    package init(code: String, severity: Severity, message: String, fix: String, facts: [String: String] = [:]) {
        self.code = code
        self.severity = severity
        self.message = message
        self.fix = fix
        self.facts = facts
    }

    /// The order for people: the worst first, then by code.
    static func isWorse(_ left: HealthWarning, _ right: HealthWarning) -> Bool {
        left.severity.rank == right.severity.rank ? left.code < right.code : left.severity.rank > right.severity.rank
    }
}

extension HealthWarning.Severity {
    /// The higher, the worse.
    var rank: UInt8 {
        switch self {
        case .info: 0
        case .warning: 1
        case .critical: 2
        }
    }
}
