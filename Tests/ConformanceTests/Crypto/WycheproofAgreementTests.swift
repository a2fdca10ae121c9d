import Sodium
import TestSupport
import Testing

@Suite struct WycheproofAgreementTests {
    private struct Group: WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let `public`: HexBytes
            let `private`: HexBytes
            let shared: HexBytes
            let result: WycheproofResult
            let flags: [String]
        }

        let tests: [Test]
    }

    /// Our rule for the cases that the file calls acceptable: points on the twist and encodings that are not
    /// canonical are computed with, as RFC 7748 says; a public key that gives the all-zero secret is refused.
    @Test func `X25519 gives the published secret and refuses a secret of zeros`() throws {
        let file = try PublishedVectors.load(WycheproofFile<Group>.self, "wycheproof/x25519_test.json")
        var refused = 0
        for (_, test) in file.pairs {
            let key = try AgreementKey(bytes: test.private.bytes, placement: .transient)
            let other = try AgreementPublicKey(bytes: test.public.bytes)
            do throws(SodiumError) {
                let secret = try key.sharedSecret(with: other).bytes.exportBytes()
                #expect(secret == test.shared.bytes, "test \(test.tcId)")
                #expect(!test.flags.contains("ZeroSharedSecret"), "test \(test.tcId)")
            } catch {
                #expect(error == .contributoryBehaviour)
                #expect(test.flags.contains("ZeroSharedSecret"), "test \(test.tcId)")
                refused += 1
            }
        }
        #expect(file.pairs.count == 518)
        #expect(refused == 31)
        print("wycheproof/x25519: \(file.pairs.count) vectors checked")
    }
}
