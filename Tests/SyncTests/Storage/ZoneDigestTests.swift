import Records
import Sodium
import Sync
import Testing
import Wire

/// `docs/protocol/logs.md`, *The digest*.
@Suite struct `The digest of a zone` {
    @Test func `covers of each log the effective part, and the fork point plus one or zero`() {
        let paths = ForkProof.Path()
        let proof = ForkProof(
            (Sample.signedHead(1, size: 4), paths),
            (Sample.signedHead(1, size: 5), paths),
            forkPoint: 3,
            forkRoot: Sample.hash(3)
        )
        let snapshot = ZoneSnapshot(
            zone: Sample.zone(0),
            genesis: Sample.genesis(0),
            logs: [Sample.log(1): Sample.state(1, 3), Sample.log(2): Sample.state(2, 7)],
            checkpoint: .zero,
            forks: [Sample.log(1): proof]
        )
        var writer = WireWriter()
        for key in [Sample.log(1), Sample.log(2)].sorted() {
            let isForked = key == Sample.log(1)
            let size: UInt64 = isForked ? 3 : 7
            writer.write(key.actor)
            writer.write(key.lane)
            writer.writeVarint(size)
            writer.write(Sample.hash(size))
            writer.writeVarint(isForked ? 4 : 0)
        }
        #expect(snapshot.state == Hash(digesting: .zoneStateDigest, Sample.zone(0).bytes + writer.bytes))
    }
}
