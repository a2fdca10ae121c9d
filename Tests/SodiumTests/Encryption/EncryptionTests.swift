import Sodium
import TestSupport
import Testing

@Suite struct EncryptionTests {
    @Test(arguments: [0, 1, 15, 16, 17, 63, 64, 65, 4_096])
    func `sealed bytes open again, and every altered byte is refused`(_ count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let key = SymmetricKey.generate(using: &generator)
        let text = generator.bytes(count)
        let nonce = XChaChaPoly.Nonce(using: &generator)
        let long = XChaChaPoly.seal(text, key: key, nonce: nonce, associatedData: [1])
        let short = ChaChaPoly.seal(text, key: key, nonce: .init(counter: 5), associatedData: [1])
        #expect(try XChaChaPoly.open(long, key: key, nonce: nonce, associatedData: [1]) == text)
        #expect(try ChaChaPoly.open(short, key: key, nonce: .init(counter: 5), associatedData: [1]) == text)
        for index in stride(from: 0, to: long.count, by: max(1, long.count / 40)) {
            var altered = long
            altered[index] ^= 0x80
            #expect(throws: SodiumError.notAuthentic) {
                _ = try XChaChaPoly.open(altered, key: key, nonce: nonce, associatedData: [1])
            }
            altered = short
            altered[index] ^= 0x80
            #expect(throws: SodiumError.notAuthentic) {
                _ = try ChaChaPoly.open(altered, key: key, nonce: .init(counter: 5), associatedData: [1])
            }
        }
        #expect(throws: SodiumError.notAuthentic) {
            _ = try ChaChaPoly.open(short, key: key, nonce: .init(counter: 6), associatedData: [1])
        }
        #expect(throws: SodiumError.notAuthentic) {
            _ = try ChaChaPoly.open(short, key: key, nonce: .init(counter: 5), associatedData: [2])
        }
    }

    @Test func `anything shorter than a tag is refused`() {
        let key = SymmetricKey.generate()
        for count in 0..<ChaChaPoly.tagByteCount {
            let bytes = [UInt8](repeating: 0, count: count)
            #expect(throws: SodiumError.notAuthentic) {
                _ = try ChaChaPoly.open(bytes, key: key, nonce: .init(counter: 0))
            }
        }
    }

    @Test func `sealing in place keeps the bytes before and gives the same result`() throws {
        let key = SymmetricKey.generate()
        let text = [UInt8](repeating: 3, count: 100)
        var bytes: [UInt8] = [9, 9, 9] + text
        ChaChaPoly.sealInPlace(&bytes, from: 3, key: key, nonce: .init(counter: 1), associatedData: [7])
        let whole = ChaChaPoly.seal(text, key: key, nonce: .init(counter: 1), associatedData: [7])
        #expect(bytes == [9, 9, 9] + whole)
    }

    @Test func `opening in place gives the plaintext back and a failure appends nothing`() throws {
        let key = SymmetricKey.generate()
        let sealed = ChaChaPoly.seal([1, 2, 3], key: key, nonce: .init(counter: 0))
        var output: [UInt8] = [8]
        try sealed.withUnsafeBytes { buffer in
            try ChaChaPoly.open(buffer, appendingTo: &output, key: key, nonce: .init(counter: 0))
        }
        #expect(output == [8, 1, 2, 3])
        #expect(throws: SodiumError.notAuthentic) {
            try sealed.withUnsafeBytes { buffer in
                try ChaChaPoly.open(buffer, appendingTo: &output, key: key, nonce: .init(counter: 1))
            }
        }
        #expect(output == [8, 1, 2, 3])
        var memory = sealed
        try memory.withUnsafeMutableBytes { buffer in
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<3])
            try ChaChaPoly.open(UnsafeRawBufferPointer(buffer), into: target, key: key, nonce: .init(counter: 0))
        }
        #expect(memory.prefix(3) == [1, 2, 3])
    }

    @Test func `the nonce of a counter is four zero bytes and the counter in little-endian order`() throws {
        let key = SymmetricKey.generate()
        let counter: UInt64 = 0x0102_0304_0506_0708
        let explicit = try ChaChaPoly.Nonce(bytes: [0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1])
        #expect(ChaChaPoly.Nonce(counter: counter) == explicit)
        let first = ChaChaPoly.seal([1], key: key, nonce: .init(counter: counter))
        let second = ChaChaPoly.seal([1], key: key, nonce: explicit)
        #expect(first == second)
        #expect(throws: SodiumError.wrongByteCount(expected: 12, actual: 11)) {
            _ = try ChaChaPoly.Nonce(bytes: [UInt8](repeating: 0, count: 11))
        }
        #expect(throws: SodiumError.wrongByteCount(expected: 24, actual: 12)) {
            _ = try XChaChaPoly.Nonce(bytes: [UInt8](repeating: 0, count: 12))
        }
    }

    @Test func `a sealed box opens with its recipient's key alone`() throws {
        let recipient = AgreementKey.generate()
        let other = AgreementKey.generate()
        let box = SealedBox.seal([1, 2, 3], to: recipient.publicKey)
        #expect(box.count == 3 + SealedBox.overheadByteCount)
        #expect(try SealedBox.open(box, with: recipient) == [1, 2, 3])
        #expect(throws: SodiumError.notAuthentic) { _ = try SealedBox.open(box, with: other) }
        for index in box.indices {
            var altered = box
            altered[index] ^= 2
            #expect(throws: SodiumError.notAuthentic) { _ = try SealedBox.open(altered, with: recipient) }
        }
        #expect(throws: SodiumError.notAuthentic) { _ = try SealedBox.open([], with: recipient) }
        let empty = SealedBox.seal([], to: recipient.publicKey)
        #expect(try SealedBox.open(empty, with: recipient).isEmpty)
        #expect(SealedBox.seal([1], to: recipient.publicKey) != SealedBox.seal([1], to: recipient.publicKey))
    }
}
