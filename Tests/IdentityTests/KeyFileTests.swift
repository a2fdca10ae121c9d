import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct KeyFileTests {
    private static func keyring() -> AccountKeyring {
        var generator = SeededGenerator(seed: 41)
        return AccountKeyring(using: &generator)
    }

    private static let account: AccountID = {
        var generator = SeededGenerator(seed: 43)
        return AccountID(Digest32(word0: generator.next(), word1: 1, word2: 2, word3: 3))
    }()

    @Test func `a device's keys are the same after writing and reading`() throws {
        let identity = AccountFixture.devices[5]
        let read = try KeyFile.device(from: KeyFile.encode(identity))
        #expect(read.deviceID == identity.deviceID)
        let keys = [read.agreementKey.publicKey, identity.agreementKey.publicKey]
        #expect(keys[0] == keys[1])
        #expect(read.sign([7], context: .treeHead) == identity.sign([7], context: .treeHead))
    }

    @Test func `an account's secrets are the same after writing and reading`() throws {
        var keyring = Self.keyring()
        var generator = SeededGenerator(seed: 44)
        for count in 0..<7 {
            let found = try KeyFile.accountKeys(from: KeyFile.encode(keyring, of: Self.account))
            let read = found.keyring
            #expect(found.account == Self.account)
            #expect(read.export() == keyring.export())
            #expect(read.recoveryDoors.count == min(count, 5))
            let door = RecoveryDoor(RecoveryPhrase(using: &generator))
            keyring = keyring.answering(door)
            #expect(keyring.recoveryDoors.first?.key == door.key, "the newest words come first")
        }
        #expect(keyring.answering(keyring.recoveryDoors[1]).recoveryDoors.count == 5, "no words twice")
    }

    @Test func `a file without the number of further fleet keys is damaged`() {
        var bytes = KeyFile.encode(Self.keyring(), of: Self.account)
        bytes.removeLast(Blake2b.byteCount + 1)
        bytes += Hash.hash(.keyFileTag, bytes).bytes
        #expect(throws: KeyFileError.damaged) { try KeyFile.accountKeys(from: bytes) }
    }

    @Test func `a recovery phrase is the same after writing and reading`() throws {
        var generator = SeededGenerator(seed: 42)
        let phrase = RecoveryPhrase(using: &generator)
        #expect(try KeyFile.recoveryPhrase(from: KeyFile.encode(phrase)).words == phrase.words)
    }

    @Test func `a file that was cut short is damaged, wherever it was cut`() {
        let bytes = KeyFile.encode(AccountFixture.devices[5])
        for count in 0..<bytes.count {
            #expect(throws: KeyFileError.damaged, "\(count) bytes") { try KeyFile.device(from: Array(bytes[..<count])) }
        }
        #expect(throws: KeyFileError.damaged) { try KeyFile.device(from: bytes + [0]) }
        #expect(throws: KeyFileError.damaged) { try KeyFile.device(from: Array(repeating: 0, count: 109)) }
    }

    @Test func `every flipped bit is noticed`() {
        let bytes = KeyFile.encode(AccountFixture.devices[5])
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            #expect(throws: KeyFileError.self, "byte \(index)") { try KeyFile.device(from: damaged) }
        }
    }

    @Test func `other files are distinguished from damaged ones`() {
        #expect(throws: KeyFileError.otherFormat) { try KeyFile.device(from: Array("ssh-ed25519".utf8)) }
        let file = KeyFile.encode(Self.keyring(), of: Self.account)
        var later = file
        later[11] = 3
        #expect(throws: KeyFileError.laterVersion(3)) { try KeyFile.accountKeys(from: later) }
        #expect(throws: KeyFileError.otherContent) { try KeyFile.device(from: file) }
    }
}
