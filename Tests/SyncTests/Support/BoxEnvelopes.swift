import Records
import Sodium
import Sync

/// Stands in for HPKE: libsodium's sealed box, which a test need not draw for.
struct BoxEnvelopes: EnvelopeSealing {
    func encapsulationKey(seed: [UInt8]) throws -> [UInt8] {
        try AgreementKey(bytes: seed).publicKey.bytes
    }

    func isKey(_ bytes: [UInt8]) -> Bool {
        bytes.count == AgreementPublicKey.byteCount
    }

    func seal(_ secret: [UInt8], to key: [UInt8], info: [UInt8], entropy: TransactionEntropy) throws -> [UInt8] {
        SealedBox.seal(secret + SHA256.hash(info), to: try AgreementPublicKey(bytes: key))
    }

    func open(_ envelope: [UInt8], seed: [UInt8], info: [UInt8]) throws -> [UInt8] {
        let bytes = try SealedBox.open(envelope, with: try AgreementKey(bytes: seed))
        guard bytes.suffix(32) == SHA256.hash(info)[...] else { throw SodiumError.notAuthentic }
        return Array(bytes.dropLast(32))
    }
}
