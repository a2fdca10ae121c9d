import Sealing
import Session
import Sodium
import TestSupport
import Testing

@Suite struct MLKEM768VectorTests {
    private let mechanism = MLKEM768Encapsulation()

    @Test func `keys and secrets are the published ones`() throws {
        let file = try EncapsulationVectors.load("mlkem_768_test")
        var (opened, refused) = (0, 0)
        for test in file.tests {
            let seed = SecretBytes(copying: try #require(PublishedVectors.bytes(test.seed)))
            let ciphertext = try #require(PublishedVectors.bytes(test.c))
            do throws(KeyEncapsulationError) {
                let key = try mechanism.makeKey(seed: seed)
                let secret = try key.decapsulate(ciphertext).exportBytes()
                #expect(test.isValid, "test \(test.tcId)")
                #expect(secret == PublishedVectors.bytes(test.K), "test \(test.tcId)")
                if let published = PublishedVectors.bytes(test.ek) {
                    #expect(key.encapsulationKey == published, "test \(test.tcId)")
                }
                opened += 1
            } catch {
                #expect(!test.isValid, "test \(test.tcId)")
                refused += 1
            }
        }
        #expect(file.tests.count == 193 && opened == 153 && refused == 40)
        print("wycheproof/mlkem_768: \(opened) opened, \(refused) refused")
    }

    /// The library draws its own secret when it encapsulates, so only the acceptance of a good key is visible.
    @Test func `a key is accepted or refused as published`() throws {
        let file = try EncapsulationVectors.load("mlkem_768_encaps_test")
        var (taken, refused) = (0, 0)
        let randomness = SecretBytes(copying: [UInt8](repeating: 0, count: 32))
        for test in file.tests {
            do throws(KeyEncapsulationError) {
                let key = PublishedVectors.bytes(test.ek) ?? []
                let answer = try mechanism.encapsulate(to: key, randomness: randomness)
                #expect(test.isValid, "test \(test.tcId)")
                #expect(answer.ciphertext.count == ChannelLimits.encapsulatedByteCount)
                #expect(answer.secret.count == 32)
                taken += 1
            } catch {
                #expect(error == .malformedKey)
                #expect(!test.isValid, "test \(test.tcId)")
                refused += 1
            }
        }
        #expect(file.tests.count == 265 && taken == 133 && refused == 132)
        print("wycheproof/mlkem_768_encaps: \(taken) keys taken, \(refused) refused")
    }
}
