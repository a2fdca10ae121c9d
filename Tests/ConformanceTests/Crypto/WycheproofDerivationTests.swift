import Sodium
import TestSupport
import Testing

@Suite struct WycheproofDerivationTests {
    private struct DerivationGroup: WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let ikm: HexBytes
            let salt: HexBytes
            let info: HexBytes
            let size: Int
            let okm: HexBytes
            let result: WycheproofResult
        }

        let tests: [Test]
    }

    private struct CodeGroup: WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let key: HexBytes
            let msg: HexBytes
            let tag: HexBytes
            let result: WycheproofResult
        }

        let tagSize: Int
        let tests: [Test]
    }

    @Test func `HKDF gives the published keys over SHA-256 and SHA-512`() throws {
        try checkDerivation("hkdf_sha256", SHA256.self, tests: 86, valid: 83)
        try checkDerivation("hkdf_sha512", SHA512.self, tests: 83, valid: 80)
    }

    @Test func `HMAC gives the published codes over SHA-256 and SHA-512`() throws {
        try checkCodes("hmac_sha256", SHA256.self, tests: 174, valid: 66)
        try checkCodes("hmac_sha512", SHA512.self, tests: 174, valid: 66)
    }

    private func checkDerivation<Hash: HashAlgorithm>(
        _ name: String,
        _ hash: Hash.Type,
        tests: Int,
        valid: Int
    ) throws {
        let path = "wycheproof/\(name)_test.json"
        let file = try PublishedVectors.load(WycheproofFile<DerivationGroup>.self, path)
        var derived = 0
        for (_, test) in file.pairs {
            let input = SecretBytes(copying: test.ikm.bytes, placement: .transient)
            do throws(SodiumError) {
                let output = try HKDF<Hash>.derive(
                    from: input,
                    salt: test.salt.bytes,
                    info: test.info.bytes,
                    byteCount: test.size
                )
                let bytes = output.exportBytes()
                #expect(bytes == test.okm.bytes, "test \(test.tcId)")
                derived += 1
            } catch {
                #expect(test.result == .invalid, "test \(test.tcId)")
            }
        }
        #expect(file.pairs.count == tests)
        #expect(derived == valid)
        print("wycheproof/\(name): \(file.pairs.count) vectors checked")
    }

    private func checkCodes<Hash: HashAlgorithm>(_ name: String, _ hash: Hash.Type, tests: Int, valid: Int) throws {
        let path = "wycheproof/\(name)_test.json"
        let file = try PublishedVectors.load(WycheproofFile<CodeGroup>.self, path)
        var matching = 0
        for (group, test) in file.pairs {
            let key = SecretBytes(copying: test.key.bytes, placement: .transient)
            let code = HMAC<Hash>.code(of: test.msg.bytes, key: key)
            let isMatch = Array(code.prefix(group.tagSize / 8)) == test.tag.bytes
            #expect(isMatch == (test.result == .valid), "test \(test.tcId)")
            matching += isMatch ? 1 : 0
        }
        #expect(file.pairs.count == tests)
        #expect(matching == valid)
        print("wycheproof/\(name): \(file.pairs.count) vectors checked")
    }
}
