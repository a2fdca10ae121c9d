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
}
