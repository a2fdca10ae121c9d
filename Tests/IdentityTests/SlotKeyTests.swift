import Identity
import Sodium
import TestSupport
import Testing
import Wire

@Suite("Slots of an invitation")
struct SlotKeyTests {
    private static let key = [UInt8](0..<32)
    private static let account = AccountID(Digest32(word0: 1, word1: 2, word2: 3, word3: 4))

    @Test func `are derived as in the protocol, and differ by use, account and key`() throws {
        let key = try SlotKey(bytes: Self.key)
        let raw = try SymmetricKey(bytes: Self.key)
        #expect(key.slot(258).bytes == Blake2b.keyedHash(.inviteSlot, key: raw, [0, 0, 0, 0, 0, 0, 1, 2]))
        #expect(key.value(of: Self.account).bytes == Blake2b.keyedHash(.inviteClaim, key: raw, Self.account.bytes))
        #expect(Set((0..<100).map { key.slot($0) }).count == 100)
        #expect(key.value(of: .zero) != key.value(of: Self.account))
        var generator = SeededGenerator(seed: 1)
        let other = SlotKey(using: &generator)
        #expect(other != key && other.slot(0) != key.slot(0) && other.value(of: .zero) != key.value(of: .zero))
        #expect(try SlotKey(bytes: other.exportBytes()) == other)
    }

    @Test func `follow from 32 bytes that are not printed`() throws {
        #expect(throws: SodiumError.wrongByteCount(expected: 32, actual: 31)) {
            try SlotKey(bytes: Self.key.dropLast())
        }
        #expect("\(try SlotKey(bytes: Self.key))" == "slot key")
    }
}
