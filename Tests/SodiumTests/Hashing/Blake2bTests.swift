import Sodium
import TestSupport
import Testing

@Suite struct Blake2bTests {
    @Test(arguments: [0, 1, 31, 128, 129, 2_000, 2_020, 2_048, 2_049, 100_000])
    func `every way to hash the same message for the same purpose gives the same bytes`(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let message = generator.bytes(count)
        let wanted = Blake2b.digest32(.operationLeaf, message)
        let half = count / 2
        #expect(Blake2b.hash(ContextString.operationLeaf.prefixed(message)) == wanted)
        #expect(Blake2b.digest32(.operationLeaf, Array(message[..<half]), Array(message[half...])) == wanted)
        #expect(Blake2b.digest32(.operationLeaf, [], message, []) == wanted)
        #expect(message.withUnsafeBytes { Blake2b.digest32(.operationLeaf, $0) } == wanted)
        #expect(message.withUnsafeBytes { Blake2b.words32(.operationLeaf, $0) }.bytes == wanted)
        if count <= 1_024 {
            let words = Blake2b.words32(.operationLeaf, messageByteCount: count) { $0.copyBytes(from: message) }
            #expect(words.bytes == wanted)
        }
        var hasher = Blake2bHasher(.operationLeaf)
        for byte in message {
            hasher.update(byte: byte)
        }
        let pieces = hasher.finalize()
        #expect(pieces == wanted)
        #expect(wanted.count == 32)
    }

    @Test func `every purpose gives another hash of the same message`() {
        let hashes = Set(ContextString.allCases.map { Blake2b.digest32($0, [1, 2, 3]) })
        #expect(hashes.count == ContextString.allCases.count)
    }

    @Test func `a code depends on its key, its purpose, its message and its size`() throws {
        let key = try SymmetricKey(bytes: [UInt8](repeating: 1, count: 32))
        let other = try SymmetricKey(bytes: [UInt8](repeating: 2, count: 32))
        let codes = [
            Blake2b.keyedHash(.recordTag, key: key, [1]), Blake2b.keyedHash(.recordTag, key: other, [1]),
            Blake2b.keyedHash(.discoveryTag, key: key, [1]), Blake2b.keyedHash(.recordTag, key: key, [2]),
            Blake2b.digest32(.recordTag, [1]),
        ]
        #expect(Set(codes).count == 5)
        let short = Blake2b.keyedHash(.recordTag, key: key, [1], byteCount: 16)
        #expect(short.count == 16)
        #expect(!codes[0].starts(with: short), "the size is part of the hash")
        var hasher = Blake2bHasher(.recordTag, key: key)
        hasher.update([1])
        let pieces = hasher.finalize()
        #expect(pieces == codes[0])
    }

    @Test func `numbers are hashed as eight big-endian bytes`() {
        var first = Blake2bHasher(.treeNode)
        first.update(number: 0x0102_0304_0506_0708)
        var second = Blake2bHasher(.treeNode)
        second.update([1, 2, 3, 4, 5, 6, 7, 8])
        let hashes = [first.finalize(), second.finalize()]
        #expect(hashes[0] == hashes[1])
    }

    @Test func `the purpose's bytes are its length and its name`() {
        // Golden bytes: changing this changes every identifier of the product.
        let prefix = ContextString.treeHead.prefixed([0xFF])
        #expect(prefix == [19] + Array("kairan/v1/tree-head".utf8) + [0xFF])
        #expect(ContextString.treeHead.prefixByteCount == 20)
    }
}

extension Blake2b.Words {
    fileprivate var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
        }
    }
}
