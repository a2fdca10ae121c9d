/// A history that breaks a law today: a bug that is known and not mended yet.
///
/// It is run and told like any other, and does not make a sweep fail; everything else does. `docs/testing/open.md` says more.
package struct OpenSeed: Sendable {
    /// Which scenario.
    package let scenario: String
    /// Which seed.
    package let seed: UInt64
    /// What is known of the cause.
    package let reason: String

    /// All of them; the list only ever shrinks, or grows by what a sweep finds and nobody could mend at once.
    package static let all = [
        OpenSeed(5262, "a log is rolled back to its fork, where no head is held, and nobody has the other branch"),
        OpenSeed(
            720_000_429,
            "a log is rolled back to its fork, where no head is held, and nobody has the other branch"
        ),
    ]

    private init(_ seed: UInt64, _ reason: String) {
        (scenario, self.seed, self.reason) = ("everything", seed, reason)
    }

    /// The open finding of a seed, if it is one.
    /// - Parameters:
    ///   - seed: The seed.
    ///   - scenario: The scenario's name.
    /// - Returns: `nil` for a seed that must keep all laws.
    package static func find(_ seed: UInt64, in scenario: String) -> OpenSeed? {
        all.first { $0.seed == seed && $0.scenario == scenario }
    }
}
