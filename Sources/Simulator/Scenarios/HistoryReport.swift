/// How one history went.
package struct HistoryReport: Sendable {
    /// Which scenario.
    package let scenario: String
    /// Which seed.
    package let seed: UInt64
    /// What it was like.
    package let options: SimulationOptions
    /// What broke; nil when nothing did.
    package internal(set) var violation: Violation?
    /// What happened, counted.
    package private(set) var statistics = SimulationStatistics()
    /// The hash over all events.
    package private(set) var traceHash: UInt64 = 0
    /// How long it took until all were equal after the faults had ended, in milliseconds; one entry each time.
    package private(set) var convergenceMilliseconds: [UInt64] = []
    /// Writes that applications were promised.
    package private(set) var acknowledgedCount = 0
    /// Operations that were written.
    package private(set) var operationCount = 0
    /// Checks of the judge.
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
        acknowledgedCount = history.judge.ledger.acknowledgedCount
        operationCount = history.judge.library.count
        checkCount = history.judge.checkCount
    }
}
