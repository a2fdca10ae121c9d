import Crypto
import Foundation
import Sealing
import Sync
import TestSupport
import Testing

/// X-Wing as the library makes it and as envelopes use it, on the vectors of draft-connolly-cfrg-xwing-kem-06.
@Suite struct XWingVectorTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(PublishedVectors.bytes(text)) }

    @Test func `keys and secrets are the published ones`() throws {
        let vectors = try XWingVector.load()
        let envelopes = XWingEnvelopes()
        for (number, vector) in vectors.enumerated() {
            let seed = try bytes(vector.seed)
            #expect(try envelopes.encapsulationKey(seed: seed) == bytes(vector.pk), "vector \(number)")
            let key = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: seed, publicKey: nil)
            let secret = try key.decapsulate(Data(bytes(vector.ct)))
            #expect(secret.withUnsafeBytes { Array($0) } == (try bytes(vector.ss)), "vector \(number)")
        }
        #expect(vectors.count == 3)
        print("xwing: \(vectors.count) vectors")
    }

    /// The library's HPKE with X-Wing's secret has no published vectors: so RFC 9180 is written out here.
    @Test func `an envelope that was made by hand from a published secret opens`() throws {
        let vectors = try XWingVector.load()
        let envelopes = XWingEnvelopes()
        let (key, info) = ((0..<32).map { UInt8($0) }, Array("what it is for".utf8))
        for (number, vector) in vectors.enumerated() {
            let schedule = BaseModeSchedule(secret: try bytes(vector.ss), info: info)
            let box = try ChaChaPoly.seal(
                key,
                using: schedule.key,
                nonce: ChaChaPoly.Nonce(data: schedule.nonce),
                authenticating: []
            )
            let envelope = try bytes(vector.ct) + box.ciphertext + box.tag
            let seed = try bytes(vector.seed)
            #expect(try envelopes.open(envelope, seed: seed, info: info) == key, "vector \(number)")
            #expect(throws: (any Error).self) { try envelopes.open(envelope, seed: seed, info: info + [0]) }
        }
    }
}

/// The key schedule of RFC 9180, section 5.1, in base mode, for X-Wing (0x647A), HKDF-SHA256 (1), ChaCha20-Poly1305 (3).
private struct BaseModeSchedule {
    let key: SymmetricKey
    let nonce: [UInt8]

    private static let suite: [UInt8] = Array("HPKE".utf8) + [0x64, 0x7A, 0, 1, 0, 3]

    init(secret: [UInt8], info: [UInt8]) {
        let context = [0] + Self.extract([], "psk_id_hash", []) + Self.extract([], "info_hash", info)
        let secret = Self.extract(secret, "secret", [])
        key = SymmetricKey(data: Self.expand(secret, "key", context, 32))
        nonce = Self.expand(secret, "base_nonce", context, 12)
    }

    private static func extract(_ salt: [UInt8], _ label: String, _ input: [UInt8]) -> [UInt8] {
        let labelled = Array("HPKE-v1".utf8) + suite + Array(label.utf8) + input
        return Array(HKDF<SHA256>.extract(inputKeyMaterial: SymmetricKey(data: labelled), salt: salt))
    }

    private static func expand(_ secret: [UInt8], _ label: String, _ info: [UInt8], _ count: UInt8) -> [UInt8] {
        let labelled = [0, count] + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info
        let key = HKDF<SHA256>.expand(pseudoRandomKey: secret, info: labelled, outputByteCount: Int(count))
        return key.withUnsafeBytes { Array($0) }
    }
}
