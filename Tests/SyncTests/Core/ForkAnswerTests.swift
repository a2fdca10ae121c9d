import Identity
import Testing
import Wire

@testable import Sync

/// The answer to a run that lies behind a fork, when the rights of its sender have ended while the store applied it.
@Suite struct `The answer to a run behind a fork` {
    /// Alice's first device, which is applying a run from Bob's device (2), a writer in a zone of hers.
    private struct Story {
        var desk: Desk
        let zone: ZoneID
        private let right: Hash
        private let proof: ForkProof

        /// The run is of a log of Alice's second device (1), or of Bob's own.
        init(runOf author: Int) throws {
            var desk = try Desk()
            let zone = try desk.neighbours.zone(of: 0)
            right = try desk.neighbours.grant(.write, to: 1, by: 0, zone: zone)
            try desk.neighbours.exchange(zone)
            try desk.tellRights(zone)
            try desk.tellZone(zone)
            desk.open(2)
            let heads = ([5, 6] as [UInt64]).map { size in
                let sample = Sample.signedHead(1, size: size)
                var head = sample.head
                (head.zone, head.device) = (zone, desk.neighbours.homes[author].keys.deviceID)
                return SignedTreeHead(head, signature: sample.signature)
            }
            let run = Run(signedHead: heads[0], from: 0, checkpoint: .zero, items: [])
            let taken = desk.hear(2, .run(run)).appliedKeys
            try #require(taken == [heads[0].head.key])
            proof = ForkProof(heads[0], heads[1])
            (self.desk, self.zone) = (desk, zone)
        }

        mutating func revoke() throws {
            let (zone, right) = (zone, right)
            try desk.neighbours.change(0) {
                _ = try ZoneSharing($0).revoke([right], zone: zone, reason: "", in: &$2)
            }
            try desk.tellRights(zone)
        }

        /// The store finds that the log is known to be forked.
        /// - Returns: The messages to Bob, and whether the proof is among them.
        mutating func answer() -> (count: Int, hasProof: Bool) {
            let key = proof.first.head.key
            let messages = desk.feed(.runApplied(2, key, .forkKnown(proof, size: 5))).messages(to: 2)
            return (messages.count, messages.contains(.forkProof(proof)))
        }
    }

    @Test(arguments: [1, 2]) func `has the proof for a device that may read the log`(author: Int) throws {
        var story = try Story(runOf: author)
        #expect(story.answer() == (count: 2, hasProof: true))
    }

    @Test func `has no proof about another device's log for one that may not read it any more`() throws {
        var story = try Story(runOf: 1)
        try story.revoke()
        #expect(story.answer() == (count: 1, hasProof: false), "the run is acknowledged all the same")
    }

    @Test func `has the proof for the author of the log, although it may not read the zone any more`() throws {
        var story = try Story(runOf: 2)
        try story.revoke()
        #expect(story.answer() == (count: 2, hasProof: true))
    }

    @Test(arguments: [1, 2]) func `is not sent about a zone that is not shared any more`(author: Int) throws {
        var story = try Story(runOf: author)
        story.desk.feed(.zoneForgotten(story.zone))
        #expect(story.answer() == (count: 0, hasProof: false))
    }
}
