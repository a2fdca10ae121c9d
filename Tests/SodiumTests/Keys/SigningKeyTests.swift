import Sodium
import TestSupport
import Testing

@Suite struct SigningKeyTests {
    @Test func `a signature holds for its message, its purpose and its key alone`() throws {
        var generator = SeededGenerator(seed: 1)
        let key = SigningKey.generate(using: &generator)
        let other = SigningKey.generate(using: &generator)
        let message = Array("message".utf8)
        let signature = key.signature(over: message, context: .treeHead)
        let verifier = key.publicKey
        #expect(verifier.isValid(signature, over: message, context: .treeHead))
        #expect(!verifier.isValid(signature, over: message, context: .accountEntry))
        #expect(!verifier.isValid(signature, over: message + [0], context: .treeHead))
        #expect(!verifier.isValid(signature, over: message), "the purpose is part of what is signed")
        let stranger = other.publicKey
        #expect(!stranger.isValid(signature, over: message, context: .treeHead))
    }

    @Test func `a purpose cannot be moved into the message`() throws {
        // If the purpose had no length in front, "a" ‖ "b/c" and "a/b" ‖ "c" might be the same bytes.
        let shorter = ContextString.checkpointHash
        let name = shorter.rawValue
        for other in ContextString.allCases where other != shorter && other.rawValue.hasPrefix(name) {
            let rest = Array(other.rawValue.utf8.dropFirst(name.utf8.count))
            #expect(shorter.prefixed(rest) != other.prefixed([]))
        }
        let prefixes = ContextString.allCases.map { $0.prefixed([]) }
        for (index, prefix) in prefixes.enumerated() {
            for (otherIndex, other) in prefixes.enumerated() where otherIndex != index {
                #expect(!other.starts(with: prefix))
            }
        }
    }

    @Test func `every flipped bit of a signature is refused`() throws {
        var generator = SeededGenerator(seed: 2)
        let key = SigningKey.generate(using: &generator)
        let signature = key.signature(over: [1, 2, 3])
        let verifier = key.publicKey
        for bit in 0..<512 {
            var bytes = signature.bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!verifier.isValid(try Signature(bytes: bytes), over: [1, 2, 3]), "bit \(bit)")
        }
    }

    @Test func `the seed that is written down gives the same key again`() throws {
        let key = SigningKey.generate()
        let again = try SigningKey(seed: key.exportSeed())
        let same = key.publicKey == again.publicKey
        #expect(same)
        let protected = SecretBytes(copying: key.exportSeed())
        let third = try SigningKey(seed: protected)
        let stillSame = third.publicKey == again.publicKey
        #expect(stillSame)
    }

    @Test func `RFC 8032's first test gives its public key and signature`() throws {
        let seed: [UInt8] = [
            0x9d, 0x61, 0xb1, 0x9d, 0xef, 0xfd, 0x5a, 0x60, 0xba, 0x84, 0x4a, 0xf4, 0x92, 0xec, 0x2c, 0xc4,
            0x44, 0x49, 0xc5, 0x69, 0x7b, 0x32, 0x69, 0x19, 0x70, 0x3b, 0xac, 0x03, 0x1c, 0xae, 0x7f, 0x60,
        ]
        let key = try SigningKey(seed: seed)
        let publicBytes = key.publicKey.bytes
        #expect(publicBytes.prefix(4) == [0xd7, 0x5a, 0x98, 0x01])
        let signature = key.signature(over: [])
        #expect(signature.bytes.prefix(4) == [0xe5, 0x56, 0x43, 0x00])
        #expect(signature.bytes.suffix(2) == [0x10, 0x0b])
    }

    @Test func `keys and signatures of other sizes are refused`() {
        for count in [0, 31, 33, 63, 65] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect(throws: SodiumError.wrongByteCount(expected: 32, actual: count)) {
                _ = try VerifyingKey(bytes: bytes)
            }
            #expect(throws: SodiumError.wrongByteCount(expected: 64, actual: count)) { _ = try Signature(bytes: bytes) }
            #expect(throws: SodiumError.wrongByteCount(expected: 32, actual: count)) { _ = try SigningKey(seed: bytes) }
            #expect(throws: SodiumError.wrongByteCount(expected: 32, actual: count)) {
                _ = try AgreementKey(bytes: bytes)
            }
            #expect(throws: SodiumError.wrongByteCount(expected: 32, actual: count)) {
                _ = try AgreementPublicKey(bytes: bytes)
            }
            #expect(throws: SodiumError.wrongByteCount(expected: 32, actual: count)) {
                _ = try SymmetricKey(bytes: bytes)
            }
        }
    }
}
