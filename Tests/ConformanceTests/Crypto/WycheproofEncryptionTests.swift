import Sodium
import TestSupport
import Testing

@Suite struct WycheproofEncryptionTests {
    struct Group: WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let key: HexBytes
            let iv: HexBytes
            let aad: HexBytes
            let msg: HexBytes
            let ct: HexBytes
            let tag: HexBytes
            let result: WycheproofResult
        }

        let tests: [Test]
    }

    @Test func `ChaCha20-Poly1305 seals and opens as published`() throws {
        try check("chacha20_poly1305", tests: 325, valid: 256) { test throws(SodiumError) in
            let key = try SymmetricKey(bytes: test.key.bytes, placement: .transient)
            let nonce = try ChaChaPoly.Nonce(bytes: test.iv.bytes)
            let data = test.aad.bytes
            return (
                ChaChaPoly.seal(test.msg.bytes, key: key, nonce: nonce, associatedData: data),
                try ChaChaPoly.open(test.ct.bytes + test.tag.bytes, key: key, nonce: nonce, associatedData: data)
            )
        }
    }

    @Test func `XChaCha20-Poly1305 seals and opens as published`() throws {
        try check("xchacha20_poly1305", tests: 315, valid: 246) { test throws(SodiumError) in
            let key = try SymmetricKey(bytes: test.key.bytes, placement: .transient)
            let nonce = try XChaChaPoly.Nonce(bytes: test.iv.bytes)
            let data = test.aad.bytes
            return (
                XChaChaPoly.seal(test.msg.bytes, key: key, nonce: nonce, associatedData: data),
                try XChaChaPoly.open(test.ct.bytes + test.tag.bytes, key: key, nonce: nonce, associatedData: data)
            )
        }
    }

    private func check(
        _ name: String,
        tests: Int,
        valid: Int,
        _ run: (Group.Test) throws(SodiumError) -> (sealed: [UInt8], opened: [UInt8])
    ) throws {
        let file = try PublishedVectors.load(WycheproofFile<Group>.self, "wycheproof/\(name)_test.json")
        var opened = 0
        for (_, test) in file.pairs {
            do throws(SodiumError) {
                let result = try run(test)
                #expect(test.result == .valid, "test \(test.tcId)")
                #expect(result.sealed == test.ct.bytes + test.tag.bytes, "test \(test.tcId)")
                #expect(result.opened == test.msg.bytes, "test \(test.tcId)")
                opened += 1
            } catch {
                #expect(test.result == .invalid, "test \(test.tcId)")
            }
        }
        #expect(file.pairs.count == tests)
        #expect(opened == valid)
        print("wycheproof/\(name): \(file.pairs.count) vectors checked")
    }
}
