import Sodium
import TestSupport
import Testing

@Suite struct WycheproofSignatureTests {
    private struct Group: WycheproofGroup {
        struct Key: Decodable {
            let pk: HexBytes
        }

        struct Test: Decodable {
            let tcId: Int
            let msg: HexBytes
            let sig: HexBytes
            let result: WycheproofResult
        }

        let publicKey: Key
        let tests: [Test]
    }

    @Test func `Ed25519 accepts only valid signatures`() throws {
        let file = try PublishedVectors.load(WycheproofFile<Group>.self, "wycheproof/ed25519_test.json")
        var accepted = 0
        for (group, test) in file.pairs {
            let key = try VerifyingKey(bytes: group.publicKey.pk.bytes)
            let isValid: Bool
            do {
                isValid = key.isValid(try Signature(bytes: test.sig.bytes), over: test.msg.bytes)
            } catch {
                isValid = false
            }
            #expect(isValid == (test.result == .valid), "test \(test.tcId)")
            accepted += isValid ? 1 : 0
        }
        #expect(file.pairs.count == 151)
        #expect(accepted == 88)
        print("wycheproof/ed25519: \(file.pairs.count) vectors checked")
    }
}
