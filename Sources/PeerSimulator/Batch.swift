import Glibc
import Simulator

/// Many histories, one after the other, and their outcomes.
struct Batch {
    /// The settings that all histories of the batch share.
    struct Settings {
        var seeds: SeedRange
        var endsAtFailure: Bool
        var checksDeterminism: Bool
        var printsTrace: Bool
        var isQuiet: Bool
        var isBrief: Bool
        var printsHashes: Bool
        var nodeCount: Int?
        var hours: Double?
    }

    let settings: Settings
    private(set) var failures: [Failure] = []
    private(set) var rows: [BatchRow] = []

    init(settings: Settings) {
        self.settings = settings
    }

    /// Runs all seeds in a scenario.
    mutating func run(_ scenario: Scenario) {
        var row = BatchRow(scenario: scenario.name)
        let clock = ContinuousClock()
        for seed in settings.seeds.first...settings.seeds.last {
            if settings.endsAtFailure, !failures.isEmpty { break }
            TrapNotice.announce(replayLine(scenario, seed))
            let start = clock.now
            let report = scenario.run(seed: seed, options: options(scenario, seed), sink: sink)
            row.add(report, elapsed: start.duration(to: clock.now))
            if settings.printsHashes { tell("\(scenario.name) \(seed) \(String(report.traceHash, radix: 16))") }
            if let violation = report.violation {
                if let open = open(scenario, seed) {
                    tell("seed \(seed) is open: \(open.reason) (invariant \(violation.invariant))")
                    // A single seed is run by a person who looks for its cause.
                    if settings.seeds.first == settings.seeds.last {
                        tell("\(violation)\n  options: \(report.options)")
                    }
                    row.open += 1
                } else {
                    fail(scenario, report, "\(violation)")
                }
            }
            if settings.checksDeterminism {
                let again = scenario.run(seed: seed, options: options(scenario, seed))
                if again.traceHash != report.traceHash {
                    fail(scenario, report, "the second run of the seed had another history")
                }
            }
        }
        row.failures = failures.count { $0.scenario == scenario.name }
        rows.append(row)
    }

    private mutating func fail(_ scenario: Scenario, _ report: HistoryReport, _ text: String) {
        let failure = Failure(
            scenario: scenario.name,
            seed: report.seed,
            options: "\(report.options)",
            text: text,
            replayLine: replayLine(scenario, report.seed)
        )
        failures.append(failure)
        let line = "seed \(failure.seed) failed: \(failure.text)"
        let firstLine = line.split(separator: "\n").first.map(String.init) ?? line
        tell(settings.isBrief ? firstLine : "\(line)\n  options: \(failure.options)\n  \(failure.replayLine)")
    }

    /// The known failure of a seed, if it has one; only with its drawn options.
    private func open(_ scenario: Scenario, _ seed: UInt64) -> OpenSeed? {
        guard settings.nodeCount == nil, settings.hours == nil else { return nil }
        return OpenSeed.find(seed, in: scenario.name)
    }

    /// Prints a text at once, even where no terminal is attached.
    private func tell(_ text: String) {
        guard !settings.isQuiet else { return }
        print(text)
        fflush(nil)
    }

    private var sink: ((String) -> Void)? {
        guard settings.printsTrace else { return nil }
        return { print($0) }
    }

    private func options(_ scenario: Scenario, _ seed: UInt64) -> SimulationOptions? {
        guard settings.nodeCount != nil || settings.hours != nil else { return nil }
        var options = scenario.options(of: seed)
        if let nodeCount = settings.nodeCount { options.nodeCount = nodeCount }
        if let hours = settings.hours {
            options.duration = UInt64(hours * 3_600_000)
            options.faultDuration = min(options.faultDuration, options.duration / 2)
        }
        return options
    }

    private func replayLine(_ scenario: Scenario, _ seed: UInt64) -> String {
        var line = "kairan-sim --scenario \(scenario.name) --replay \(seed)"
        if let nodeCount = settings.nodeCount { line += " --nodes \(nodeCount)" }
        if let hours = settings.hours { line += " --hours \(hours)" }
        return line
    }
}
