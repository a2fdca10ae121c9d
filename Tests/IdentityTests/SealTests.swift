import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct SealTests {
    private static func credential(_ seed: UInt64) throws -> UnlockingSecret {
        var generator = SeededGenerator(seed: seed)
        var bytes = generator.bytes(32)
        return try #require(UnlockingSecret.credential(wiping: &bytes))
    }

    private static func passphrase(_ text: String) throws -> UnlockingSecret {
        var bytes = Array(text.utf8)
        return try #require(UnlockingSecret.passphrase(wiping: &bytes))
    }

    private static func key(_ seed: UInt64 = 1) -> SealingKey {
        var generator = SeededGenerator(seed: seed)
        return SealingKey(using: &generator)
    }

    private static func seal(_ secret: UnlockingSecret, _ key: SealingKey = key()) throws -> SealFile {
        var generator = SeededGenerator(seed: 9)
        return try SealFile(locking: key, with: secret, parameters: .least, using: &generator)
    }

    private static func secrets() throws -> [UnlockingSecret] {
        [try credential(5), try passphrase("correct horse battery staple")]
    }

    // MARK: The seal

    @Test func `a seal opens with its secret, after writing and reading`() throws {
        for secret in try Self.secrets() {
            let seal = try Self.seal(secret)
            let bytes = seal.encoded
            #expect(bytes.count == SealFile.byteCount)
            let read = try SealFile(decoding: bytes)
            #expect(read == seal && read.kind == secret.kind)
            #expect(try read.open(with: secret).exportBytes() == Self.key().exportBytes())
        }
    }

    @Test func `a wrong secret is distinguished from a damaged seal`() throws {
        let (credential, passphrase) = (try Self.secrets()[0], try Self.secrets()[1])
        #expect(throws: SealFileError.wrongSecret) { try Self.seal(credential).open(with: Self.credential(6)) }
        #expect(throws: SealFileError.wrongSecret) {
            try Self.seal(passphrase).open(with: Self.passphrase("correct horse battery stapl"))
        }
        #expect(throws: SealFileError.otherKind) { try Self.seal(passphrase).open(with: credential) }
        #expect(throws: SealFileError.otherKind) { try Self.seal(credential).open(with: passphrase) }
    }

    @Test func `a seal that was cut short is damaged, wherever it was cut, and every flipped bit is noticed`() throws {
        for secret in try Self.secrets() {
            let bytes = try Self.seal(secret).encoded
            for count in 0..<bytes.count {
                #expect(throws: SealFileError.damaged, "\(count) bytes") {
                    try SealFile(decoding: Array(bytes[..<count]))
                }
            }
            #expect(throws: SealFileError.damaged) { try SealFile(decoding: bytes + [0]) }
            #expect(throws: SealFileError.damaged) { try SealFile(decoding: [UInt8](repeating: 0, count: 205)) }
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 0x10
                #expect(throws: SealFileError.self, "byte \(index)") { try SealFile(decoding: damaged) }
            }
        }
        #expect(throws: SealFileError.otherFormat) { try SealFile(decoding: Array("LUKS".utf8)) }
    }

    /// An attacker who can write the file can correct its hash, but cannot replace the key.
    @Test func `a changed seal does not open, whatever was changed`() throws {
        for secret in try Self.secrets() {
            let bytes = try Self.seal(secret).encoded
            for index in 12..<bytes.count - 32 {
                var forged = bytes
                forged[index] ^= 0x01
                forged = Array(forged.dropLast(32))
                forged += Blake2b.digest32(.sealTag, forged)
                #expect(throws: SealFileError.self, "byte \(index)") {
                    _ = try SealFile(decoding: forged).open(with: secret)
                }
            }
        }
    }

    @Test func `a seal that asks for too much is refused before it is tried`() throws {
        var bytes = try Self.seal(Self.passphrase("correct horse")).encoded
        // Memory, big-endian, behind magic, version, kind and passes.
        bytes[17] = 0xFF
        bytes = Array(bytes.dropLast(32))
        bytes += Blake2b.digest32(.sealTag, bytes)
        #expect(throws: SealFileError.tooCostly) { try SealFile(decoding: bytes) }
    }

    @Test func `a later version is reported`() throws {
        var bytes = try Self.seal(Self.credential(1)).encoded
        bytes[11] = 2
        #expect(throws: SealFileError.laterVersion(2)) { try SealFile(decoding: bytes) }
    }

    @Test func `the same key locked twice gives two seals that open to it, each by its own secret`() throws {
        let key = Self.key(77)
        let (old, new) = (try Self.secrets()[0], try Self.secrets()[1])
        let seals = [try Self.seal(old, key), try Self.seal(new, key)]
        #expect(seals[0].name == seals[1].name && seals[0] != seals[1])
        #expect(try seals[0].open(with: old).name == seals[1].open(with: new).name)
    }

    // MARK: Secrets that open it

    @Test func `a passphrase has no end of line, and is not too short; a credential is a key's size at least`() throws {
        let plain = try Self.passphrase("12345678")
        #expect(try Self.passphrase("12345678\n").isEqual(to: plain))
        #expect(try Self.passphrase("12345678\r\n").isEqual(to: plain))
        #expect(try !Self.passphrase("12345678\n\n").isEqual(to: plain))
        var short = Array("1234567\n".utf8)
        #expect(UnlockingSecret.passphrase(wiping: &short) == nil && short.isEmpty)
        var few = [UInt8](repeating: 1, count: 31)
        #expect(UnlockingSecret.credential(wiping: &few) == nil && few.isEmpty)
        var enough = [UInt8](repeating: 1, count: 32)
        #expect(UnlockingSecret.credential(wiping: &enough) != nil && enough.isEmpty)
        var many = [UInt8](repeating: 1, count: UnlockingSecret.byteCountMax + 1)
        #expect(UnlockingSecret.credential(wiping: &many) == nil)
    }

    // MARK: Sealed files

    /// Law: a sealed content opens to itself, under its own key and as its own kind, and in no other way.
    @Test(arguments: 0..<24) func `sealed text opens to itself and to nothing else`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let (key, other) = (SealingKey(using: &generator), SealingKey(using: &generator))
        let content = generator.bytes(Int(generator.next() % 400))
        let kinds = SealingKey.Content.allCases
        let kind = kinds[Int(seed) % kinds.count]
        let file = key.seal(content, as: kind, using: &generator)
        #expect(SealingKey.isSealed(file) && file.count == content.count + SealingKey.overheadByteCount, "seed \(seed)")
        #expect(try key.open(file, as: kind) == content, "seed \(seed)")
        for wrong in kinds where wrong != kind {
            #expect(throws: KeyFileError.otherContent, "seed \(seed)") { try key.open(file, as: wrong) }
        }
        #expect(throws: KeyFileError.otherSeal, "seed \(seed)") { try other.open(file, as: kind) }
        // Sealed again, nothing is the same: nonces are drawn anew.
        #expect(key.seal(content, as: kind, using: &generator) != file, "seed \(seed)")
    }

    @Test func `a sealed file without contents opens, and a shorter one with a right hash is damaged`() throws {
        var generator = SeededGenerator(seed: 6)
        let key = Self.key()
        let file = key.seal([], as: .enrolments, using: &generator)
        #expect(file.count == SealingKey.overheadByteCount)
        #expect(try key.open(file, as: .enrolments).isEmpty)
        let shorter = Array(file.dropLast(Blake2b.byteCount + 1))
        #expect(throws: KeyFileError.damaged) {
            try key.open(shorter + Blake2b.digest32(.sealedFileTag, shorter), as: .enrolments)
        }
    }

    @Test func `a sealed file that was cut short or changed is damaged, also when its hash was made right again`()
        throws
    {
        var generator = SeededGenerator(seed: 3)
        let key = Self.key()
        let file = key.seal(KeyFile.encode(AccountFixture.devices[5]), as: .device, using: &generator)
        for count in 13..<file.count {
            #expect(throws: KeyFileError.damaged, "\(count) bytes") {
                try key.open(Array(file[..<count]), as: .device)
            }
        }
        for index in 12..<file.count - 32 {
            var forged = file
            forged[index] ^= 0x40
            #expect(throws: KeyFileError.damaged, "byte \(index)") { try key.open(forged, as: .device) }
            forged = Array(forged.dropLast(32))
            forged += Blake2b.digest32(.sealedFileTag, forged)
            #expect(throws: KeyFileError.self, "byte \(index)") { try key.open(forged, as: .device) }
        }
    }

    @Test func `sealed keys are not taken for plain ones, nor the other way round`() throws {
        var generator = SeededGenerator(seed: 4)
        let clear = KeyFile.encode(AccountFixture.devices[5])
        let sealed = Self.key().seal(clear, as: .device, using: &generator)
        #expect(throws: KeyFileError.sealed) { try KeyFile.device(from: sealed) }
        #expect(throws: KeyFileError.otherFormat) { try Self.key().open(clear, as: .device) }
        #expect(!SealingKey.isSealed(clear) && !SealingKey.isSealed([]))
    }
}
