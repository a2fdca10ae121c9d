import Crypto
import Foundation
import TestSupport
import Testing

/// The library's HPKE, which envelopes are made with, on RFC 9180's vectors of X25519 with HKDF-SHA256.
@Suite struct HPKEVectorTests {
    private func data(_ text: String?) throws -> Data { Data(try #require(PublishedVectors.bytes(text))) }

    private func cipher(_ vector: HPKEVector) throws -> HPKE.AEAD {
        let ciphers: [Int: HPKE.AEAD] = [2: .AES_GCM_256, 3: .chaChaPoly, 65_535: .exportOnly]
        return try #require(ciphers[vector.aead_id])
    }

    private func recipient(_ vector: HPKEVector) throws -> HPKE.Recipient {
        let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: data(vector.skRm))
        #expect(key.publicKey.rawRepresentation == (try data(vector.pkRm)))
        let suite = HPKE.Ciphersuite(kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: try cipher(vector))
        let (info, encapsulated) = (try data(vector.info), try data(vector.enc))
        switch vector.mode {
        case 0:
            return try HPKE.Recipient(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: encapsulated
            )
        case 1:
            return try HPKE.Recipient(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: encapsulated,
                presharedKey: SymmetricKey(data: try data(vector.psk)),
                presharedKeyIdentifier: try data(vector.psk_id)
            )
        default:
            return try HPKE.Recipient(
                privateKey: key,
                ciphersuite: suite,
                info: info,
                encapsulatedKey: encapsulated,
                authenticatedBy: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: data(vector.pkSm))
            )
        }
    }

    @Test func `published ciphertexts open in order, and exports equal the published ones`() throws {
        let vectors = try HPKEVector.load()
        var (opened, exported) = (0, 0)
        for (number, vector) in vectors.enumerated() {
            var recipient = try recipient(vector)
            for export in vector.exports {
                let secret = try recipient.exportSecret(
                    context: data(export.exporter_context),
                    outputByteCount: export.L
                )
                #expect(secret.withUnsafeBytes { Data($0) } == (try data(export.exported_value)), "vector \(number)")
                exported += 1
            }
            // The file has the first ones and two of those far behind; a recipient counts, and cannot be set forward.
            for encryption in vector.encryptions.prefix(32) {
                let text = try recipient.open(data(encryption.ct), authenticating: data(encryption.aad))
                #expect(text == (try data(encryption.pt)), "vector \(number)")
                opened += 1
            }
        }
        #expect(vectors.count == 9 && opened == 6 * 32 && exported == 27)
        print("hpke: \(vectors.count) vectors, \(opened) opened, \(exported) exported")
    }

    @Test func `all ciphertexts are those of the published keys and nonces`() throws {
        let vectors = try HPKEVector.load()
        var opened = 0
        for vector in vectors {
            for encryption in vector.encryptions {
                let text = try open(
                    data(encryption.ct),
                    key: SymmetricKey(data: data(vector.key)),
                    nonce: data(encryption.nonce),
                    authenticating: data(encryption.aad),
                    isChaCha: vector.aead_id == 3
                )
                #expect(text == (try data(encryption.pt)))
                opened += 1
            }
        }
        #expect(opened == 6 * 34)
    }

    private func open(
        _ ciphertext: Data,
        key: SymmetricKey,
        nonce: Data,
        authenticating extra: Data,
        isChaCha: Bool
    ) throws -> Data {
        let combined = nonce + ciphertext
        return isChaCha
            ? try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: combined), using: key, authenticating: extra)
            : try AES.GCM.open(AES.GCM.SealedBox(combined: combined), using: key, authenticating: extra)
    }

    @Test func `published ciphertexts open in no altered form`() throws {
        let vectors = try HPKEVector.load()
        for (number, vector) in vectors.enumerated() {
            guard let encryption = vector.encryptions.first else { continue }
            let (ciphertext, extra) = (try data(encryption.ct), try data(encryption.aad))
            for index in ciphertext.indices {
                var altered = ciphertext
                altered[index] ^= 1
                var fresh = try recipient(vector)
                #expect(throws: (any Error).self, "vector \(number), byte \(index)") {
                    try fresh.open(altered, authenticating: extra)
                }
            }
            var fresh = try recipient(vector)
            #expect(throws: (any Error).self, "vector \(number)") {
                try fresh.open(ciphertext, authenticating: extra + [0])
            }
        }
    }
}
