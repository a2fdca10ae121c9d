import Records
import Sync
import Testing

@testable import Sealing

@Suite struct `An envelope by HPKE with X-Wing` {
    private let envelopes = XWingEnvelopes()
    private let seed = [UInt8](repeating: 7, count: 32)
    private let secret = (0..<32).map { UInt8($0) }

    @Test func `opens only for its recipient`() throws {
        let key = try envelopes.encapsulationKey(seed: seed)
        #expect(key.count == 1_216)
        let envelope = try envelopes.seal(secret, to: key, info: [1, 2], entropy: TransactionEntropy())
        #expect(envelope.count == 1_168)
        #expect(try envelopes.open(envelope, seed: seed, info: [1, 2]) == secret)
        for info: [UInt8] in [[], [1], [1, 3], [1, 2, 0], [0, 1, 2]] {
            #expect(throws: (any Error).self, "\(info)") { try envelopes.open(envelope, seed: seed, info: info) }
        }
        let other = [UInt8](repeating: 8, count: 32)
        #expect(throws: (any Error).self) { try envelopes.open(envelope, seed: other, info: [1, 2]) }
    }

    @Test func `opens in no other form`() throws {
        let key = try envelopes.encapsulationKey(seed: seed)
        let envelope = try envelopes.seal(secret, to: key, info: [], entropy: TransactionEntropy())
        for index in envelope.indices {
            var altered = envelope
            altered[index] ^= 1
            #expect(throws: (any Error).self, "byte \(index)") { try envelopes.open(altered, seed: seed, info: []) }
        }
        for count in envelope.indices {
            #expect(throws: (any Error).self, "\(count) bytes") {
                try envelopes.open(Array(envelope.prefix(count)), seed: seed, info: [])
            }
        }
        #expect(throws: (any Error).self) { try envelopes.open(envelope + [0], seed: seed, info: []) }
    }

    @Test func `differs each time`() throws {
        let key = try envelopes.encapsulationKey(seed: seed)
        let both = try (0..<2).map { _ in
            try envelopes.seal(secret, to: key, info: [], entropy: TransactionEntropy())
        }
        #expect(both[0] != both[1])
    }

    @Test func `asks of each key once whether it is one, as long as there is room for the answers`() {
        let tried = TriedKeys()
        var found: [[UInt8]] = []
        func isEven(_ number: Int) -> Bool {
            let key = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
            return tried.answer(for: key) {
                found.append(key)
                return number.isMultiple(of: 2)
            }
        }
        for _ in 0..<2 {
            for number in 0..<TriedKeys.capacity { #expect(isEven(number) == number.isMultiple(of: 2)) }
        }
        #expect(found.count == TriedKeys.capacity)
        #expect(isEven(TriedKeys.capacity))
        #expect(!isEven(1))
        #expect(found.count == TriedKeys.capacity + 2, "another key took the place of all")
    }

    @Test func `is sealed to nothing that is no key`() throws {
        let own = try envelopes.encapsulationKey(seed: seed)
        #expect(envelopes.isKey(own))
        // The last one has an X25519 half with which every secret is zero.
        let others: [[UInt8]] = [
            [], [1, 2, 3], [UInt8](repeating: 0xFF, count: 1_216), [UInt8](repeating: 0, count: 1_217), own + [0],
            own.prefix(1_184) + [UInt8](repeating: 0, count: 32),
        ]
        for key in others {
            #expect(!envelopes.isKey(key), "\(key.count) bytes")
            #expect(throws: (any Error).self, "\(key.count) bytes") {
                try envelopes.seal(secret, to: key, info: [], entropy: TransactionEntropy())
            }
        }
        #expect(throws: (any Error).self) { try envelopes.encapsulationKey(seed: [1]) }
    }
}
