import Sodium
import TestSupport
import Testing

/// Pins libsodium's acceptance rule at the edges of Ed25519.
///
/// If a new version decided otherwise, replicas of two versions would disagree on which operations are effective:
/// that must be found here and not in the field.
@Suite struct SignatureEdgeTests {
    private struct SpecCheck: Decodable {
        let message: HexBytes
        let publicKey: HexBytes
        let signature: HexBytes

        enum CodingKeys: String, CodingKey {
            case message, signature
            case publicKey = "pub_key"
        }
    }

    private struct Edge: Decodable {
        let number: Int
        let key: HexBytes
        let sig: HexBytes
        let msg: String
        let flags: [String]?
    }

    @Test func `of the twelve speccheck cases only the fourth is accepted`() throws {
        let cases = try PublishedVectors.load([SpecCheck].self, "ed25519-edge/speccheck-cases.json")
        let row = try cases.map { entry in
            let key = try VerifyingKey(bytes: entry.publicKey.bytes)
            return key.isValid(try Signature(bytes: entry.signature.bytes), over: entry.message.bytes) ? "V" : "X"
        }
        #expect(row.joined() == "XXXVXXXXXXXX")
        print("ed25519-edge/speccheck: \(cases.count) vectors checked")
    }

    @Test func `points of low order and loose encodings are refused, a component of low order is not`() throws {
        let cases = try PublishedVectors.load([Edge].self, "ed25519-edge/cctv-ed25519vectors.json")
        let harmless: Set = ["low_order_component_A", "low_order_component_R"]
        var accepted = 0
        for entry in cases {
            let key = try VerifyingKey(bytes: entry.key.bytes)
            let isValid = key.isValid(try Signature(bytes: entry.sig.bytes), over: Array(entry.msg.utf8))
            #expect(isValid == harmless.isSuperset(of: entry.flags ?? []), "case \(entry.number)")
            accepted += isValid ? 1 : 0
        }
        #expect(cases.count == 914)
        #expect(accepted == 43)
        print("ed25519-edge/cctv: \(cases.count) vectors checked")
    }
}
