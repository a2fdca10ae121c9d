import Sodium
import TestSupport
import Testing

@Suite struct Blake2VectorTests {
    private struct Entry: Decodable {
        let hash: String
        let `in`: HexBytes
        let key: HexBytes
        let out: HexBytes
    }

    @Test func `every BLAKE2 vector gives the published hash`() throws {
        let entries = try PublishedVectors.load([Entry].self, "blake2/blake2-kat.json")
        var counts = ["blake2b": 0, "blake2s": 0]
        for entry in entries {
            counts[entry.hash, default: 0] += 1
            switch entry.hash {
            case "blake2b":
                let actual = Blake2b.hash(entry.in.bytes, rawKey: entry.key.bytes, byteCount: 64)
                #expect(actual == entry.out.bytes)
            default:
                #expect(Blake2s.hash(entry.in.bytes, key: entry.key.bytes) == entry.out.bytes)
            }
        }
        #expect(counts == ["blake2b": 512, "blake2s": 512])
        print("blake2: \(entries.count) vectors checked")
    }
}
