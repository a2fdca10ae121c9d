import Foundation
import Testing

@Suite("Power cuts")
struct PowerCutTests {
    @Test func `a thousand random power cuts lose nothing that was acknowledged`() async throws {
        let start = ContinuousClock.now
        var cutCount = 0
        for seed in Volume.seeds {
            var trial = try Trial(seed: seed)
            do {
                try await trial.run()
            } catch {
                Issue.record(Volume.report("\(error)", seed: seed, suite: Self.self))
                return
            }
            cutCount += trial.cutCount
        }
        Volume.note("\(Volume.seeds.count) trials, \(cutCount) cuts", since: start)
    }
}

/// The amount of testing, and the repetition of a failure.
enum Volume {
    private static func variable(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// Random trials.
    static var count: UInt64 { variable("KAIRAN_POWER_CUTS") ?? 150 }

    /// Whether all places are tried, instead of a part of them.
    static var isFull: Bool { count >= 1_000 }

    /// The seeds of the random trials.
    static var seeds: ClosedRange<UInt64> { seeds(max(count, 1)) }

    /// So many seeds, or the one that is to be repeated.
    static func seeds(_ count: UInt64) -> ClosedRange<UInt64> {
        if let seed = variable("KAIRAN_POWER_CUT_SEED") { return seed...seed }
        return 1...count
    }

    /// The number of the only operation to try; `nil` to try them all.
    static var place: UInt64? { variable("KAIRAN_POWER_CUT_PLACE") }

    /// Returns the text of a finding, followed by the command that shows it again.
    static func report(_ text: String, seed: UInt64, suite: Any.Type) -> Comment {
        "\(text)\nseed \(seed); again: KAIRAN_POWER_CUT_SEED=\(seed) \(command(suite))"
    }

    /// Returns the text of a finding at an operation, followed by the command that shows it again.
    static func report(_ text: String, place: UInt64, suite: Any.Type) -> Comment {
        "\(text)\noperation \(place); again: KAIRAN_POWER_CUT_PLACE=\(place) \(command(suite))"
    }

    private static func command(_ suite: Any.Type) -> String { "swift test --filter PowerCutTests.\(suite)" }

    /// Prints a line with the time that it took.
    static func note(_ text: String, since start: ContinuousClock.Instant) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("\(text) in \(String(format: "%.1f", seconds)) s")
    }
}
