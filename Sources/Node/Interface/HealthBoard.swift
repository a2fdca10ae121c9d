import Synchronization

/// The warnings that stand at this moment, by code.
package final class HealthBoard: Sendable {
    private let warnings = Mutex<[String: HealthWarning]>([:])

    /// Starts without warnings.
    package init() {}

    /// Raises a warning, or replaces the one with the same code.
    package func set(_ warning: HealthWarning) {
        warnings.withLock { $0[warning.code] = warning }
    }

    /// Takes a warning back; without effect when it does not stand.
    package func clear(_ code: String) {
        warnings.withLock { $0[code] = nil }
    }

    /// Whether a warning stands.
    package func contains(_ code: String) -> Bool {
        warnings.withLock { $0[code] != nil }
    }

    /// All warnings, worst first.
    package var all: [HealthWarning] {
        let order: [HealthWarning.Severity] = [.critical, .warning, .info]
        return warnings.withLock { Array($0.values) }.sorted { left, right in
            let (first, second) = (order.firstIndex(of: left.severity) ?? 0, order.firstIndex(of: right.severity) ?? 0)
            return first == second ? left.code < right.code : first < second
        }
    }
}
