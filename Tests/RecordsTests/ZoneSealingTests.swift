import Records
import Sodium
import Testing
import Wire

@Suite struct `The sealing of a zone` {
    @Test func `is read as it was written, and nothing else is`() throws {
        let epoch = Hash(digesting: .treeNode, [1])
        let all: [(ZoneSealing, [UInt8])] = [(.waiting, [0]), (.open, [1]), (.epoch(epoch), [2] + epoch.bytes)]
        for (sealing, bytes) in all {
            #expect(sealing.encoded == bytes)
            #expect(try ZoneSealing(decoding: bytes) == sealing)
        }
        for bytes in [[], [3], [2], [1] + epoch.bytes] as [[UInt8]] {
            #expect(throws: WireError.self) { try ZoneSealing(decoding: bytes) }
        }
    }
}
