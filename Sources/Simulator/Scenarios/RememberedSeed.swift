/// A history that once broke a law, with its finding.
package struct RememberedSeed: Sendable {
    /// The name of the scenario.
    package let scenario: String
    /// The seed.
    package let seed: UInt64
    /// The finding.
    package let finding: String
    /// Whether bodies may be sealed in it; seeds from before zones had keys are never sealed.
    package var isSealed = false

    /// Whether a seed must stay the history that it was when it was entered here.
    static func isRemembered(_ seed: UInt64, in scenario: String) -> Bool {
        all.contains { $0.seed == seed && $0.scenario == scenario }
    }

    /// Whether a seed is a history from the time when nothing was sealed.
    static func isInClear(_ seed: UInt64, in scenario: String) -> Bool {
        all.contains { $0.seed == seed && $0.scenario == scenario && !$0.isSealed }
    }

    /// All remembered seeds, oldest first; each test run repeats them.
    package static let all: [RememberedSeed] = [
        RememberedSeed(
            scenario: "everything",
            seed: 7,
            finding: "an effect counted before its cause, since the cause had come under a later head that still waited"
        ),
        RememberedSeed(
            scenario: "lost-store",
            seed: 19,
            finding: "the same in the control lane, at a node that fetched its lost store from several peers"
        ),
        RememberedSeed(
            scenario: "vm-rollback",
            seed: 1,
            finding: "what stood behind a fork was lost for everybody who held the other history"
        ),
        RememberedSeed(
            scenario: "cloned-machine",
            seed: 4,
            finding: "two machines wrote under one name, and each replica kept the history that it met first"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 23,
            finding: "a mistake of the judge: who wrote on top of a removed device had replaced what that had replaced"
        ),
        RememberedSeed(
            scenario: "vm-rollback",
            seed: 19,
            finding: "what a checkpoint covers of one history was superseded by who had seen the other one"
        ),
        RememberedSeed(
            scenario: "revoked-under-partition",
            seed: 64,
            finding: "a cut was raised over what waits for a log of which nobody there knew the name"
        ),
        RememberedSeed(
            scenario: "revoked-under-partition",
            seed: 83,
            finding: "a log was taken back, to fetch what had been purged, to a place that its author had never signed"
        ),
        RememberedSeed(
            scenario: "revoked-under-partition",
            seed: 157,
            finding: "a mistake of the judge: what was adopted had replaced a value"
        ),
        RememberedSeed(
            scenario: "revoked-under-partition",
            seed: 385,
            finding: "a mistake of the histories: they ended while somebody was about to ask whether a log is empty"
        ),
        RememberedSeed(
            scenario: "byzantine-member",
            seed: 93,
            finding: "a mistake of the judge: whoever was put out may read on where everybody may, and is talked to"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1578,
            finding: "what was forgotten under a checkpoint that nobody adopts any more was served to nobody"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1640,
            finding: "a mistake of the judge: what waits for an operation that every disk lost"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 221,
            finding: "whoever handed a zone over, or left it, kept keys to itself that others lacked",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1937,
            finding: "whoever began to wait for a log of which nothing counts asked two minutes later"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1895,
            finding: "a device whose removal does not count was refused unheard by all who did not know so",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "byzantine-member",
            seed: 10,
            finding: "whoever adopted what was sealed with the name of another record showed it, and nobody else did",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "public-zones",
            seed: 9,
            finding: "a guest was not served the last write by a member whose address it did not know any more"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 883,
            finding: "what was deleted on top of a log with two histories came back to who fetched all anew"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 207_820_630,
            finding: "a checkpoint in the log of a removed device did not come to those who had not heard of it"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 207_821_285,
            finding: "a zone that could not be made on a full disk was not made before the next session",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 207_821_702,
            finding: "a key begun in the log of a removed device did not come to those who had not heard of it",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1375,
            finding: "a known limit: who was let in by a machine that is gone, and its account's others, do not talk"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 724_000_046,
            finding: "an account that was refused while it could only relay was not dialled once it could read"
        ),
        RememberedSeed(
            scenario: "year-away",
            seed: 53,
            finding: "a device that was away refused a log, since what it held had gone with forgotten deletions"
        ),
        RememberedSeed(
            scenario: "forgotten-deletions",
            seed: 465,
            finding: "the same of a device that had met nothing yet which it lacked"
        ),
        RememberedSeed(
            scenario: "forgotten-deletions",
            seed: 24,
            finding: "the judge did not know that a large zone withdraws records some at a time once it is complete"
        ),
    ]
}
