import Sealing
import Session
import Sodium
import TestSupport
import Testing

@Suite struct MLKEM768EncapsulationTests {
    private let mechanism = MLKEM768Encapsulation()

    private func key(_ seed: UInt64) throws -> any DecapsulationKey {
        var generator = SeededGenerator(seed: seed)
        return try mechanism.makeKey(seed: SecretBytes(copying: generator.bytes(64)))
    }

    private let randomness: [UInt8] = [UInt8](repeating: 0, count: 32)

    @Test func `an encapsulation to a key is opened by it, and is new each time`() throws {
        let key = try key(1)
        #expect(key.encapsulationKey.count == ChannelLimits.encapsulationKeyByteCount)
        var secrets: Set<[UInt8]> = []
        for _ in 0..<20 {
            let answer = try mechanism.encapsulate(
                to: key.encapsulationKey,
                randomness: SecretBytes(copying: randomness)
            )
            let opened = try key.decapsulate(answer.ciphertext)
            let isSame = opened.isEqual(to: answer.secret)
            #expect(isSame)
            secrets.insert(opened.exportBytes())
        }
        // Its own randomness, not the given one.
        #expect(secrets.count == 20)
    }

    @Test func `an altered ciphertext gives another secret and no error`() throws {
        let key = try key(2)
        let answer = try mechanism.encapsulate(to: key.encapsulationKey, randomness: SecretBytes(copying: randomness))
        for index in stride(from: 0, to: answer.ciphertext.count, by: 17) {
            var altered = answer.ciphertext
            altered[index] ^= 1
            let isSame = try key.decapsulate(altered).isEqual(to: answer.secret)
            #expect(!isSame, "byte \(index)")
        }
    }

    @Test func `another key gives another secret`() throws {
        let answer = try mechanism.encapsulate(
            to: try key(3).encapsulationKey,
            randomness: SecretBytes(copying: randomness)
        )
        let isSame = try key(4).decapsulate(answer.ciphertext).isEqual(to: answer.secret)
        #expect(!isSame)
    }

    @Test func `a key with numbers that no key has, and anything of a wrong size, is refused`() throws {
        var impossible = try key(5).encapsulationKey
        // The first two coefficients, of twelve bits each: 4,095 is above the modulus.
        (impossible[0], impossible[1], impossible[2]) = (0xff, 0xff, 0xff)
        for bad in [impossible, [], Array(impossible.dropLast())] {
            #expect(throws: KeyEncapsulationError.malformedKey) {
                _ = try mechanism.encapsulate(to: bad, randomness: SecretBytes(copying: randomness))
            }
        }
        for count in [0, 1_087, 1_089] {
            #expect(throws: KeyEncapsulationError.malformedCiphertext) {
                _ = try key(6).decapsulate([UInt8](repeating: 0, count: count))
            }
        }
        #expect(throws: KeyEncapsulationError.unavailable) {
            _ = try mechanism.makeKey(seed: SecretBytes(copying: [1, 2, 3]))
        }
    }
}
