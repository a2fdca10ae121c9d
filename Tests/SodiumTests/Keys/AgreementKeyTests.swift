import Sodium
import TestSupport
import Testing

@Suite struct AgreementKeyTests {
    @Test func `both sides find the same secret and a third does not`() throws {
        var generator = SeededGenerator(seed: 4)
        let alice = AgreementKey.generate(using: &generator)
        let bob = AgreementKey.generate(using: &generator)
        let eve = AgreementKey.generate(using: &generator)
        let first = try alice.sharedSecret(with: bob.publicKey).bytes.exportBytes()
        let second = try bob.sharedSecret(with: alice.publicKey).bytes.exportBytes()
        let third = try eve.sharedSecret(with: alice.publicKey).bytes.exportBytes()
        #expect(first == second)
        #expect(first != third)
    }

    @Test func `keys derived from one secret differ by purpose and by info`() throws {
        let alice = AgreementKey.generate()
        let secret = try alice.sharedSecret(with: AgreementKey.generate().publicKey)
        let keys = [
            secret.derivedKey(.recordKey).exportBytes(), secret.derivedKey(.payloadKey).exportBytes(),
            secret.derivedKey(.recordKey, info: [1]).exportBytes(), secret.bytes.exportBytes(),
        ]
        #expect(Set(keys).count == 4)
    }

    @Test func `points of low order are refused`() throws {
        let key = AgreementKey.generate()
        for bytes in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            let point = try AgreementPublicKey(bytes: bytes)
            #expect(throws: SodiumError.contributoryBehaviour) { _ = try key.sharedSecret(with: point) }
        }
    }

    @Test func `a duplicate is the same key and outlives the first`() throws {
        let copy: AgreementKey
        let publicKey: AgreementPublicKey
        do {
            let key = AgreementKey.generate()
            publicKey = key.publicKey
            copy = key.duplicate(placement: .transient)
        }
        let again = try AgreementKey(bytes: copy.exportBytes())
        let keys = [copy.publicKey, again.publicKey]
        #expect(keys == [publicKey, publicKey])
    }
}
