import Logging
import Synchronization

/// The warnings that are raised at this moment, by code; it logs each once when it is raised, and once when it ends.
///
/// A warning is logged when it has stood for the delay of its rule, unless it follows from another one that stands: it
/// is then logged when that one ends before it. An acknowledged warning is logged as information. Nothing is logged
/// before `startLogging()`.
package final class HealthBoard: Sendable {
    private struct RaisedWarning {
        var warning: HealthWarning
        /// The time since which a warning with this code is raised, in milliseconds of the monotonic clock.
        let since: UInt64
        /// How bad the warning was when it was logged last; nil where it was not logged.
        var loggedRank: UInt8?
        /// The facts with which it was logged.
        var loggedFacts: Set<[String: String]> = []
    }

    private struct State {
        var raised: [String: RaisedWarning] = [:]
        /// By code, how bad the warning was that a person has acknowledged.
        var acknowledged: [String: HealthWarning.Severity] = [:]
        var isLogging = false
    }

    /// The number of facts of one raised warning that are logged: a peer must not be able to fill the log.
    private static let loggedFactsMax = 64

    private let state = Mutex(State())
    private let logger: Logger
    private let now: @Sendable () -> UInt64

    /// Starts without warnings.
    /// - Parameters:
    ///   - logger: Receives the warnings, in the order in which they are raised. It is called under the board's lock, and must
    ///     not call the board.
    ///   - now: Milliseconds of the monotonic clock.
    init(logger: Logger, now: @escaping @Sendable () -> UInt64) {
        self.logger = logger
        self.now = now
    }

    /// Logs the raised warnings, and those to come.
    ///
    /// Called once the acknowledged warnings are known.
    func startLogging() {
        state.withLock { state in
            state.isLogging = true
            report(&state)
        }
    }

    /// Logs the warnings whose delay is over.
    func look() {
        state.withLock { report(&$0) }
    }

    /// The time at which `look()` has something to log, in milliseconds of the monotonic clock; nil where nothing is
    /// delayed.
    var nextDue: UInt64? {
        let now = now()
        return state.withLock { state in
            guard state.isLogging else { return nil }
            let dues = state.raised.values.filter { $0.loggedRank == nil }.map {
                $0.since &+ Self.delay($0.warning.code)
            }
            return dues.filter { $0 > now }.min()
        }
    }

    /// Raises a warning, or replaces the one with the same code.
    package func set(_ warning: HealthWarning) {
        assert(
            HealthRule.all[warning.code] != nil,
            "\(warning.code) has a rule, and a row in docs/operations/health.md"
        )
        state.withLock { state in
            var raised = state.raised[warning.code] ?? RaisedWarning(warning: warning, since: now())
            raised.warning = warning
            state.raised[warning.code] = raised
            report(&state)
        }
    }

    /// Raises a warning that lists names, or ends it where there are none.
    /// - Parameters:
    ///   - code: The warning's.
    ///   - severity: Its severity.
    ///   - names: The names, in the order in which they are listed.
    ///   - message: Makes the message of the list.
    ///   - fix: The remedy.
    func set(
        _ code: String,
        _ severity: HealthWarning.Severity,
        listing names: [String],
        _ message: (String) -> String,
        fix: String
    ) {
        guard !names.isEmpty else { return clear(code) }
        let list = names.joined(separator: ", ")
        set(HealthWarning(code: code, severity: severity, message: message(list), fix: fix))
    }

    /// Ends a warning; without effect when it is not raised.
    package func clear(_ code: String) {
        state.withLock { state in
            guard let ended = state.raised.removeValue(forKey: code) else { return }
            if ended.loggedRank != nil { logger.info("health warning ended", metadata: ["warning.code": "\(code)"]) }
            report(&state)
        }
    }

    /// Whether a warning is raised.
    package func contains(_ code: String) -> Bool {
        state.withLock { $0.raised[code] != nil }
    }

    /// All raised warnings, worst first.
    package var all: [HealthWarning] {
        state.withLock { $0.raised.values.map(\.warning) }.sorted(by: HealthWarning.isWorse)
    }

    /// The warnings for people, worst first: those that have stood for their time and follow from no other one.
    ///
    /// An acknowledged one is marked so, unless it has become worse since.
    package var shown: [HealthWarning] {
        let now = now()
        let warnings = state.withLock { state in
            state.raised.values.filter { raised in
                now &- raised.since >= Self.delay(raised.warning.code)
            }.map { raised in
                var warning = raised.warning
                warning.isAcknowledged = state.acknowledged[warning.code] == warning.severity
                return warning
            }
        }
        let effects = warnings.reduce(into: Set<String>()) { $0.formUnion(HealthRule.all[$1.code]?.effects ?? []) }
        return warnings.filter { !effects.contains($0.code) }.sorted(by: HealthWarning.isWorse)
    }

    private static func delay(_ code: String) -> UInt64 { HealthRule.all[code]?.delay ?? 0 }

    /// Logs the warnings that are due, were not logged, and follow from no other one that stands.
    private func report(_ state: inout State) {
        guard state.isLogging else { return }
        let now = now()
        // A cause counts during its delay as well: its effects would otherwise be logged a moment before it.
        let effects = state.raised.keys.reduce(into: Set<String>()) {
            $0.formUnion(HealthRule.all[$1]?.effects ?? [])
        }
        let due = state.raised.values.filter { raised in
            !effects.contains(raised.warning.code) && now &- raised.since >= Self.delay(raised.warning.code)
        }
        for var raised in due.sorted(by: { HealthWarning.isWorse($0.warning, $1.warning) }) {
            let warning = raised.warning
            let isWorse = raised.loggedRank.map { $0 < warning.severity.rank } ?? true
            let isNew =
                raised.loggedFacts.count < Self.loggedFactsMax && !raised.loggedFacts.contains(warning.facts)
            guard isWorse || isNew else { continue }
            raised.loggedRank = max(raised.loggedRank ?? 0, warning.severity.rank)
            raised.loggedFacts.insert(warning.facts)
            state.raised[warning.code] = raised
            log(warning, isAcknowledged: state.acknowledged[warning.code] == warning.severity)
        }
    }

    private func log(_ warning: HealthWarning, isAcknowledged: Bool) {
        let level: Logger.Level =
            switch warning.severity {
            case _ where isAcknowledged: .info
            case .info: .notice
            case .warning: .warning
            case .critical: .error
            }
        var metadata = Logger.Metadata(uniqueKeysWithValues: warning.facts.map { ($0.key, .string($0.value)) })
        metadata["warning.code"] = "\(warning.code)"
        metadata["detail"] = "\(warning.message)"
        metadata["fix"] = "\(warning.fix)"
        logger.log(level: level, "health warning", metadata: metadata)
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
