import Identity
import Sodium
import Sync
import TestSupport
import Testing
import Wire

@Suite struct `The door of the recovery words from another device` {
    @Test func `is taken over beside those of earlier words, and only the first one for a key`() throws {
        let account = try MemoryAccount(seed: 1)
        let state = account.log.state
        var random = SeededGenerator(seed: 2)
        let (present, earlier) = (account.words.door, RecoveryDoor(RecoveryPhrase(using: &random)))
        let keyring = AccountKeyring(recovery: earlier, using: &random)
        #expect(keyring.handedDoor(of: state) == nil)
        let taken = try #require(keyring.taking(present, of: state))
        #expect(taken.recoveryDoors.map(\.key) == [present.key, earlier.key])
        // Another secret for the same key cannot be checked.
        let secret = [UInt8](repeating: 7, count: RecoverySecret.partByteCount)
        let other = try RecoveryDoor(RecoverySecret(key: present.key.bytes, secret: secret))
        let again = try #require(taken.taking(other, of: state))
        #expect(again.handedDoor(of: state) == present.export())
        let isTaken = keyring.taking(earlier, of: state) != nil
        #expect(!isTaken, "the log names another key")
    }
}
