import Sodium
import Testing

@Suite struct Argon2idTests {
    private static let salt = Array(UInt8(0)..<16)

    /// Answers of the reference implementation (phc-winner-argon2 20190702, through argon2-cffi 25.1.0).
    @Test(arguments: [
        ("correct horse battery staple", 2, 64, "2df47ede6358ed17a9976d4fcedb897a10036d432a4acef17d263bfc98bd20ac"),
        ("", 1, 8, "31ed41e2d73f27fdfe4eb4bec651341e58ba43477051c6fe4adad735d82ee08a"),
        ("correct horse battery staple", 3, 8_192, "947312f62e4ac86f63c9b622f147b0061846739f53dd00f2d2236cd03db413ac"),
    ])
    func `equals the reference implementation`(
        _ passphrase: String,
        _ passes: UInt32,
        _ kibibytes: UInt32,
        _ wanted: String
    ) throws {
        let parameters = try #require(Argon2id.Parameters(passCount: passes, memoryByteCount: kibibytes << 10))
        let secret = SecretBytes(copying: Array(passphrase.utf8))
        let hash = try Argon2id.hash(secret, salt: Self.salt, parameters: parameters)
        let digits = hash.exportBytes().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(digits.joined() == wanted)
    }

    @Test func `has limits that are checked before any allocation`() {
        #expect(Argon2id.Parameters(passCount: 0, memoryByteCount: 8 << 10) == nil)
        #expect(Argon2id.Parameters(passCount: 17, memoryByteCount: 8 << 10) == nil)
        #expect(Argon2id.Parameters(passCount: 1, memoryByteCount: 7 << 10) == nil)
        #expect(Argon2id.Parameters(passCount: 1, memoryByteCount: 8 << 10 | 1) == nil)
        #expect(Argon2id.Parameters(passCount: 1, memoryByteCount: 1 << 30 | 1_024) == nil)
        #expect(Argon2id.Parameters(passCount: .max, memoryByteCount: .max) == nil)
        #expect(Argon2id.Parameters(passCount: 16, memoryByteCount: 1 << 30) != nil)
        #expect(Argon2id.Parameters(passCount: 3, memoryByteCount: 256 << 20) == .moderate)
    }

    @Test func `accepts only a salt of 16 bytes`() {
        let secret = SecretBytes(copying: [1])
        #expect(throws: SodiumError.wrongByteCount(expected: 16, actual: 15)) {
            _ = try Argon2id.hash(secret, salt: Array(Self.salt.dropLast()), parameters: .least)
        }
    }
}
