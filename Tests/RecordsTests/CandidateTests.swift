import ReplicaBehaviour
import Testing
import Wire

@testable import Records

@Suite("Checkpoints that wait to be adopted")
struct CandidateTests {
    private func checkpoint(_ number: UInt64, previous: Hash = .zero) -> Checkpoint {
        Checkpoint(
            logs: [LogPosition(actor: ActorID(.zero), lane: .data, size: number, root: .zero)],
            liveRoot: .zero,
            liveCount: number,
            lapsed: [],
            previous: previous
        )
    }

    @Test func `one with a removed author or an unknown predecessor does not displace another`() throws {
        for stands in [true, false] {
            var row = try #require(try emptyReplica().zone(TestZone.id))
            let honest = [checkpoint(1), checkpoint(2, previous: checkpoint(1).hash)]
            for candidate in honest { row.waitFor(candidate, stands: true, standing: nil) }
            for number in 1...UInt64(40) {
                let flood = checkpoint(1 << 61 + number, previous: checkpoint(9).hash)
                row.waitFor(flood, stands: stands, standing: nil)
            }
            #expect(row.candidates.count <= ReplicaLimits.candidateCountMax)
            #expect(honest.allSatisfy(row.candidates.contains), "stands: \(stands)")
        }
    }

    @Test(arguments: [false, true]) func `the oldest gives way where the predecessors of all are known`(
        isCompared: Bool
    ) throws {
        let chain = chain()
        var row = try #require(try emptyReplica().zone(TestZone.id))
        for candidate in chain { row.waitFor(candidate, stands: true, standing: nil) }
        #expect(row.candidates == chain)
        let next = checkpoint(100, previous: chain[chain.count - 1].hash)
        let standing = Set(chain.map(\.hash))
        if isCompared {
            row.waitForCompared(next, standing: standing)
        } else {
            row.waitFor(next, stands: true, standing: standing)
        }
        #expect(row.candidates == Array(chain.dropFirst()) + [next])
    }

    @Test(arguments: [false, true])
    func `the oldest one that no device states which stands gives way first`(isCompared: Bool) throws {
        // The predecessor of the first one is unknown.
        let chain = chain(behind: checkpoint(99).hash)
        var row = try #require(try emptyReplica().zone(TestZone.id))
        for candidate in chain { row.waitFor(candidate, stands: true, standing: nil) }
        let next = checkpoint(100, previous: checkpoint(98).hash)
        let standing = Set(chain.map(\.hash)).subtracting([chain[3].hash, chain[7].hash])
        if isCompared {
            row.waitForCompared(next, standing: standing)
        } else {
            row.waitFor(next, stands: true, standing: standing)
        }
        #expect(row.candidates == chain.filter { $0 != chain[3] } + [next])
    }

    /// As many checkpoints as wait at most, each behind the one before.
    private func chain(behind first: Hash = .zero) -> [Checkpoint] {
        var chain = [checkpoint(1, previous: first)]
        for number in 2...UInt64(ReplicaLimits.candidateCountMax) {
            chain.append(checkpoint(number, previous: chain[chain.count - 1].hash))
        }
        return chain
    }

    /// A checkpoint of nothing.
    private func empty(_ number: UInt64, previous: Hash = .zero) -> ControlBody {
        .checkpoint(
            Checkpoint(logs: [], liveRoot: .zero, liveCount: number, lapsed: [], previous: previous)
        )
    }

    /// Alice stands, and the predecessor of her first checkpoint is unknown; Bob was removed.
    @Test func `one of a removed device gives way to one of a device that stands, stated here or received`() throws {
        let (alice, bob) = (TestAuthor(1), TestAuthor(2))
        let most = UInt64(ReplicaLimits.candidateCountMax)
        var replica = try emptyReplica()
        try replica.commit(empty(1, previous: checkpoint(9).hash), by: alice)
        for number in 2..<most { try replica.commit(empty(number), by: alice) }
        try replica.commit(empty(most), by: bob)
        let former = LogRuling(role: .ended(.owner, at: .max))
        let rulings = [bob.log(TestZone.id, .control): former]
        _ = try RulingApplier(of: TestZone.id, wallMilliseconds: 1).rule(rulings, in: &replica)
        var other = replica
        func counts(_ replica: MemoryReplica) throws -> [UInt64] {
            try #require(try replica.zone(TestZone.id)).candidates.map(\.liveCount)
        }
        #expect(try counts(replica) == Array(1...most))
        for number in [most + 1, most + 2] { try replica.commit(empty(number), by: alice) }
        // Where both come in one run, the first is not stored yet when the second is applied, and stands as well.
        let run = try #require(try replica.run(alice.log(TestZone.id, .control), from: most - 1))
        #expect(run.items.count == 2)
        try other.receive(run)
        for replica in [replica, other] {
            #expect(try counts(replica) == Array(2..<most) + [most + 1, most + 2])
        }
    }
}
