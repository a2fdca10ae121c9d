import Simulator
import Testing

@Suite struct ScenarioTests {
    /// All but two: two days are too long for a test, and of everything `RememberedSeed` has the seeds.
    private static let kept = Scenario.all.map(\.name).filter { $0 != "everything" && $0 != "two-in-a-room" }

    /// A history without the quiet hours behind it.
    private func run(_ name: String, seed: UInt64) throws -> HistoryReport {
        let scenario = try #require(Scenario.named(name))
        var options = scenario.options(of: seed)
        options.duration = min(options.duration, 900_000)
        return scenario.run(seed: seed, options: options)
    }

    @Test func `every scenario has a name of its own`() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
        #expect(Scenario.all.first?.name == "everything")
        #expect(Scenario.named("no such scenario") == nil)
    }

    @Test(arguments: kept)
    func `a history of each scenario breaks no law`(_ name: String) throws {
        let report = try run(name, seed: 1)
        #expect(report.violation == nil, "seed 1: \(report.options)")
        #expect(report.statistics.commits > 0)
        #expect(report.checkCount > 0)
    }

    @Test func `one seed is one history`() throws {
        for seed in UInt64(1)...2 {
            let first = try run("everything", seed: seed)
            let second = try run("everything", seed: seed)
            #expect(first.traceHash == second.traceHash, "seed \(seed)")
            #expect(first.statistics.events == second.statistics.events)
        }
    }

    @Test func `another seed is another history`() throws {
        #expect(try run("everything", seed: 1).traceHash != run("everything", seed: 2).traceHash)
    }

    @Test(arguments: RememberedSeed.all)
    func `a seed that once failed is replayed for ever`(_ remembered: RememberedSeed) throws {
        let report = try run(remembered.scenario, seed: remembered.seed)
        #expect(report.violation == nil, "\(remembered.finding)")
    }
}
