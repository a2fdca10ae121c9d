import Mailbox
import Sodium
import TestSupport
import Testing
import Wire

@Suite struct `Keys of a mailbox` {
    private let relay = RelayID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0))
    private let alice = DeviceID(Digest32(word0: 2, word1: 0, word2: 0, word3: 0))
    private let bob = DeviceID(Digest32(word0: 3, word1: 0, word2: 0, word3: 0))

    /// Returns the secret that each of two devices derives with the other's public key.
    private func secrets(seed: UInt64 = 1) throws -> (PartnerSecret, PartnerSecret) {
        var random = SeededGenerator(seed: seed)
        let first = AgreementKey.generate(using: &random)
        let second = AgreementKey.generate(using: &random)
        return (
            try PartnerSecret(own: first, other: second.publicKey),
            try PartnerSecret(own: second, other: first.publicKey)
        )
    }

    @Test func `are the same on both sides`() throws {
        let (own, theirs) = try secrets()
        let first = own.keys(relay: relay, sender: alice, recipient: bob, day: 20_000)
        let second = theirs.keys(relay: relay, sender: alice, recipient: bob, day: 20_000)
        #expect(first.mailbox == second.mailbox)
        #expect(first.put == second.put)
        #expect(first.get == second.get)
    }

    @Test func `are other ones for each direction, day, relay and pair`() throws {
        let (own, _) = try secrets()
        let (other, _) = try secrets(seed: 2)
        let elsewhere = RelayID(Digest32(word0: 9, word1: 0, word2: 0, word3: 0))
        let all = [
            own.keys(relay: relay, sender: alice, recipient: bob, day: 1),
            own.keys(relay: relay, sender: bob, recipient: alice, day: 1),
            own.keys(relay: relay, sender: alice, recipient: bob, day: 2),
            own.keys(relay: elsewhere, sender: alice, recipient: bob, day: 1),
            other.keys(relay: relay, sender: alice, recipient: bob, day: 1),
        ]
        #expect(Set(all.map(\.mailbox)).count == all.count)
        #expect(Set(all.map(\.put.key)).count == all.count)
    }

    @Test func `prove their mailbox to any verifier`() throws {
        let keys = try secrets().0.keys(relay: relay, sender: alice, recipient: bob, day: 1)
        #expect(MailboxID(put: keys.put) == keys.mailbox)
        #expect(MailboxID(get: keys.get) == keys.mailbox)
        // A device that may put does not know the key that takes, and the other way round.
        #expect(MailboxID(get: keys.put) != keys.mailbox)
        #expect(MailboxID(put: keys.get) != keys.mailbox)
        #expect(keys.put.key != keys.get.key)
    }

    @Test func `of a relay come from its seed alone`() throws {
        let seed = [UInt8](repeating: 7, count: RelayKeys.seedByteCount)
        let first = try RelayKeys(seed: seed)
        let second = try RelayKeys(seed: seed)
        #expect(first.id == second.id)
        #expect(first.channelSecret() == second.channelSecret())
        #expect(first.channelSecret() != first.exportSeed())
        #expect(first.id.bytes == first.agreementKey.publicKey.bytes)
        let count = seed.count + 1
        let refusal = #expect(throws: SodiumError.self) { _ = try RelayKeys(seed: seed + [0]).id }
        #expect(refusal == .wrongByteCount(expected: 32, actual: count))
    }
}
