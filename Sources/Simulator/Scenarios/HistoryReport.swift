/// The outcome of one history.
package struct HistoryReport: Sendable {
    /// The name of the scenario.
    package let scenario: String
    /// The seed.
    package let seed: UInt64
    /// The options of the history.
    package let options: SimulationOptions
    /// The violation; `nil` when there was none.
    package internal(set) var violation: Violation?
    /// Counts of the events.
    package private(set) var statistics = SimulationStatistics()
    /// The hash over all events.
    package private(set) var traceHash: UInt64 = 0
    /// The time of each convergence after the faults had ended, in milliseconds.
    package private(set) var convergenceMilliseconds: [UInt64] = []
    /// The number of acknowledged writes.
    package private(set) var acknowledgedCount = 0
    /// The number of operations written.
    package private(set) var operationCount = 0
    /// The number of checks by the judge.
    package private(set) var checkCount: UInt64 = 0

    init(scenario: String, seed: UInt64, options: SimulationOptions) {
        self.scenario = scenario
        self.seed = seed
        self.options = options
    }

    mutating func take(_ history: History) {
        statistics = history.simulation.statistics
        for node in history.simulation.nodes where node.isRunning {
            statistics.nodeMilliseconds += history.simulation.now - node.startedAt
        }
        traceHash = history.simulation.trace.hash
        convergenceMilliseconds = history.convergenceMilliseconds
        acknowledgedCount = history.judge.evidence.ledger.acknowledgedCount
        operationCount = history.judge.evidence.library.count
        checkCount = history.judge.evidence.checkCount
    }
}
