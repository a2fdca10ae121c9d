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
    /// Whether a member may lie in it; in seeds from before liars existed, none ever does.
    package var mayHaveLiar = false
    /// Whether accounts may have keys in it, which machines that arrive and strangers need, and zones a history from
    /// join; seeds from before that have none of these.
    package var mayHaveKeys = false

    /// Whether a seed is a history from the time when accounts had no keys, and zones no history from join.
    static func isWithoutKeys(_ seed: UInt64, in scenario: String) -> Bool {
        all.contains { $0.seed == seed && $0.scenario == scenario && !$0.mayHaveKeys }
    }

    /// Whether a seed is a history from the time when nothing was sealed.
    static func isInClear(_ seed: UInt64, in scenario: String) -> Bool {
        all.contains { $0.seed == seed && $0.scenario == scenario && !$0.isSealed }
    }

    /// Whether a seed is a history from the time when no member of `everything` lied.
    static func isWithoutLiar(_ seed: UInt64, in scenario: String) -> Bool {
        all.contains { $0.seed == seed && $0.scenario == scenario && !$0.mayHaveLiar }
    }

    /// All remembered seeds, oldest first; each test run repeats them.
    package static let all: [RememberedSeed] = [
        RememberedSeed(
            scenario: "everything",
            seed: 7,
            finding: "an operation was effective before its cause, which was under a later head that still waited"
        ),
        RememberedSeed(
            scenario: "lost-store",
            seed: 19,
            finding: "the same in the control lane, at a node that fetched its lost store from several peers"
        ),
        RememberedSeed(
            scenario: "vm-rollback",
            seed: 1,
            finding: "operations behind a fork were lost on all replicas with the other history"
        ),
        RememberedSeed(
            scenario: "cloned-machine",
            seed: 4,
            finding: "two machines wrote under one incarnation, and each replica kept the history that arrived first"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 23,
            finding: "a mistake of the judge: a write on top of a removed device's write had replaced the same values"
        ),
        RememberedSeed(
            scenario: "vm-rollback",
            seed: 19,
            finding: "operations of one history under a checkpoint were superseded by a write that had seen the other"
        ),
        RememberedSeed(
            scenario: "revoked-under-partition",
            seed: 64,
            finding: "a cut was raised over operations that wait for a log which was unknown there"
        ),
        RememberedSeed(
            scenario: "revoked-under-partition",
            seed: 83,
            finding: "a log was rolled back, to fetch purged operations, to a size that its author had never signed"
        ),
        RememberedSeed(
            scenario: "revoked-under-partition",
            seed: 157,
            finding: "a mistake of the judge: an adopted operation had replaced a value"
        ),
        RememberedSeed(
            scenario: "revoked-under-partition",
            seed: 385,
            finding: "a mistake of the histories: they ended while a device was about to ask whether a log is empty"
        ),
        RememberedSeed(
            scenario: "byzantine-member",
            seed: 93,
            finding: "a mistake of the judge: a revoked account may still read a public zone, and has sessions"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1578,
            finding: "gaps under a checkpoint that no device adopts any longer were served to no device"
        ),
        RememberedSeed(
            scenario: "public-zones",
            seed: 100,
            finding: "a mistake of the simulator: the first key of any account passed for that of the own one"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1640,
            finding: "a mistake of the judge: operations that wait for one that every disk lost"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 221,
            finding: "an account that transferred a zone, or left it, did not deliver keys that others lacked",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1937,
            finding: "a device that began to wait for a log without effective operations asked two minutes later"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1895,
            finding: "a device whose removal is void was refused by all devices that did not know that",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "byzantine-member",
            seed: 10,
            finding: "only the adopting device showed an operation that was sealed with the name of another record",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "public-zones",
            seed: 9,
            finding: "a guest was not served the last write by a member whose address it no longer knew"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 883,
            finding: "a record deleted on top of a log with two histories reappeared on a device that fetched all anew"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 207_820_630,
            finding: "a checkpoint in the log of a removed device did not reach devices that lacked it"
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
            finding: "a key begun in the log of a removed device did not reach devices that lacked it",
            isSealed: true
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 1375,
            finding: "a known limit: a new account and the siblings of a lost machine that admitted it do not connect"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 724_000_046,
            finding: "an account that was refused while it could only relay was not dialled once it could read"
        ),
        RememberedSeed(
            scenario: "year-away",
            seed: 53,
            finding: "a device that was away refused a log, since it held operations that were pruned with deletions"
        ),
        RememberedSeed(
            scenario: "forgotten-deletions",
            seed: 465,
            finding: "the same for a device that had not yet found anything that it lacked"
        ),
        RememberedSeed(
            scenario: "forgotten-deletions",
            seed: 24,
            finding: "the judge did not know that a large zone withdraws records some at a time once it is complete"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 756_000_588,
            finding: "the judge lacked a key that only a transaction had which a stopped process left unreported"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 764_000_202,
            finding: "a mistake of the judge: accounts with a session for one zone may not admit each other in another",
            mayHaveLiar: true
        ),
        RememberedSeed(
            scenario: "assets",
            seed: 33,
            finding: "a question to the store was taken for an input, after which no work may be due at once"
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 766_000_034,
            finding: "a mistake of the judge: an account that left was to receive what only readers of the zone do",
            isSealed: true,
            mayHaveLiar: true,
            mayHaveKeys: true
        ),
        RememberedSeed(
            scenario: "everything",
            seed: 768_001_055,
            finding: "a restored device blamed the sender of a run for a gap above a cut that it had forgotten",
            isSealed: true,
            mayHaveLiar: true,
            mayHaveKeys: true
        ),
    ]
}
