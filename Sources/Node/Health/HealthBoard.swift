import Synchronization

/// The warnings that are raised at this moment, by code.
package final class HealthBoard: Sendable {
    private struct Standing {
        var warning: HealthWarning
        /// The time since which a warning with this code is raised, in milliseconds of the monotonic clock.
        let since: UInt64
    }

    private struct State {
        var standing: [String: Standing] = [:]
        /// By code, how bad the warning was that a person has acknowledged.
        var acknowledged: [String: HealthWarning.Severity] = [:]
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> UInt64

    /// Starts without warnings.
    /// - Parameter now: Milliseconds of the monotonic clock.
    package init(now: @escaping @Sendable () -> UInt64) {
        self.now = now
    }

    /// Raises a warning, or replaces the one with the same code.
    package func set(_ warning: HealthWarning) {
        assert(
            HealthRule.all[warning.code] != nil,
            "\(warning.code) has a rule, and a row in docs/operations/health.md"
        )
        state.withLock { state in
            let since = state.standing[warning.code]?.since ?? now()
            state.standing[warning.code] = Standing(warning: warning, since: since)
        }
    }

    /// Ends a warning; without effect when it is not raised.
    package func clear(_ code: String) {
        state.withLock { $0.standing[code] = nil }
    }

    /// Whether a warning is raised.
    package func contains(_ code: String) -> Bool {
        state.withLock { $0.standing[code] != nil }
    }

    /// All raised warnings, worst first.
    package var all: [HealthWarning] {
        state.withLock { $0.standing.values.map(\.warning) }.sorted(by: HealthWarning.isWorse)
    }

    /// The warnings for people, worst first: those that have stood for their time and follow from no other one.
    ///
    /// An acknowledged one is marked so, unless it has become worse since.
    package var shown: [HealthWarning] {
        let now = now()
        let warnings = state.withLock { state in
            state.standing.values.filter { standing in
                now &- standing.since >= HealthRule.all[standing.warning.code]?.delay ?? 0
            }.map { standing in
                var warning = standing.warning
                warning.isAcknowledged = state.acknowledged[warning.code] == warning.severity
                return warning
            }
        }
        let effects = warnings.reduce(into: Set<String>()) { $0.formUnion(HealthRule.all[$1.code]?.effects ?? []) }
        return warnings.filter { !effects.contains($0.code) }.sorted(by: HealthWarning.isWorse)
    }

    /// Marks a warning as known, now and when it is raised again.
    /// - Parameters:
    ///   - code: The warning's.
    ///   - severity: Its severity; nil where a person wants to see it again.
    func acknowledge(_ code: String, _ severity: HealthWarning.Severity?) {
        state.withLock { $0.acknowledged[code] = severity }
    }

    /// Whether a person has acknowledged warnings with a code.
    func isAcknowledged(_ code: String) -> Bool {
        state.withLock { $0.acknowledged[code] != nil }
    }
}
