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
            for candidate in honest { row.waitFor(candidate, stands: true) }
            for number in 1...UInt64(40) {
                row.waitFor(checkpoint(1 << 61 + number, previous: checkpoint(9).hash), stands: stands)
            }
            #expect(row.candidates.count <= ReplicaLimits.candidateCountMax)
            #expect(honest.allSatisfy(row.candidates.contains), "stands: \(stands)")
        }
    }

    @Test(arguments: [false, true]) func `the oldest gives way where the predecessors of all are known`(
        isCompared: Bool
    ) throws {
        var chain = [checkpoint(1)]
        for number in 2...UInt64(ReplicaLimits.candidateCountMax) {
            chain.append(checkpoint(number, previous: chain[chain.count - 1].hash))
        }
        var row = try #require(try emptyReplica().zone(TestZone.id))
        for candidate in chain { row.waitFor(candidate, stands: true) }
        #expect(row.candidates == chain)
        let next = checkpoint(100, previous: chain[chain.count - 1].hash)
        if isCompared { row.waitForCompared(next) } else { row.waitFor(next, stands: true) }
        #expect(row.candidates == Array(chain.dropFirst()) + [next])
    }
}
