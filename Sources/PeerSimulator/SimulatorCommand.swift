import ArgumentParser
import Glibc
import Invocation
import Simulator

/// Runs simulated histories and reports which of them broke a promise.
@main
struct SimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kairan-sim",
        abstract: "Run simulated histories of several nodes, and report violated invariants.",
        discussion: """
            One seed is one history, bit for bit: nodes, network, disks, the actions of applications and the faults all \
            follow from it. A failing seed is printed with the command that runs it again.
            """
    )

    @Option(help: "The seeds: one, or a range such as 1..200 (both included).")
    var seeds = SeedRange(first: 1, last: 100)

    @Option(help: ArgumentHelp("The kind of history; see --list.", valueName: "name"))
    var scenario = "everything"

    @Flag(help: "Run the scenarios one after the other, each with all seeds.")
    var allScenarios = false

    @Flag(help: "Run seed after seed until the first failure.")
    var untilFailure = false

    @Option(help: ArgumentHelp("Replay one seed, with all details.", valueName: "seed"))
    var replay: UInt64?

    @Option(help: "The number of nodes, instead of the seed's choice.")
    var nodes: Int?

    @Option(help: "The simulated hours of each history, instead of the seed's choice.")
    var hours: Double?

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    @Flag(help: "List the scenarios.")
    var list = false

    @Flag(help: "Print a line for every event.")
    var trace = false

    @Flag(help: "Run each seed twice, and require the same history.")
    var checkDeterminism = false

    @Flag(help: "Print only the failing seeds, one line each.")
    var brief = false

    @Flag(help: "Print a line for each history: scenario, seed, and a hash of all its events.")
    var hashes = false

    static func main() {
        do {
            main(try Invocation.current(reading: Invocation.isRead).arguments)
        } catch {
            let line = Array("kairan-sim: \(error.description)\n".utf8)
            _ = Glibc.write(STDERR_FILENO, line, line.count)
            Glibc.exit(EX_USAGE)
        }
    }

    func validate() throws {
        guard Scenario.named(scenario) != nil else {
            throw ValidationError("Unknown scenario \(scenario); --list shows all.")
        }
        if let nodes, !(1...1_000).contains(nodes) { throw ValidationError("--nodes must be 1 to 1000.") }
        if let hours, !(0.02...100_000).contains(hours) { throw ValidationError("--hours must be 0.02 to 100000.") }
    }

    func run() throws {
        guard !list else {
            for scenario in Scenario.all {
                print(
                    scenario.name + String(repeating: " ", count: max(26 - scenario.name.utf8.count, 1)),
                    scenario.summary
                )
            }
            return
        }
        guard Simulation.checksAssertions else {
            throw ValidationError("This program checks no assertions; build it with -assert-config Debug.")
        }
        var batch = Batch(settings: settings)
        let scenarios = allScenarios ? Scenario.all : Scenario.named(scenario).map { [$0] } ?? []
        for scenario in scenarios { batch.run(scenario) }
        if !brief || json { print(json ? batch.json : batch.table) }
        if let last = batch.failures.last {
            if !json, !brief { print(last.replayLine) }
            throw ExitCode.failure
        }
    }

    private var settings: Batch.Settings {
        Batch.Settings(
            seeds: replay.map { SeedRange(first: $0, last: $0) } ?? seeds,
            endsAtFailure: untilFailure,
            checksDeterminism: checkDeterminism,
            printsTrace: trace,
            isQuiet: json,
            isBrief: brief,
            printsHashes: hashes,
            nodeCount: nodes,
            hours: hours
        )
    }
}
