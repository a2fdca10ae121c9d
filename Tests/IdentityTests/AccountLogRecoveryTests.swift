import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// A device that has nothing but the recovery words, and the effect of its entry on an account log.
@Suite struct `Recovery by the words` {
    typealias Fixture = AccountFixture

    private var log: AccountLog
    private var generator = SeededGenerator(seed: 72)

    init() throws {
        log = try Fixture.newLog()
        _ = try log.add(try Fixture.addition(1), by: Fixture.signer(0))
    }

    private mutating func entry(_ key: Int, _ device: Int, heads: [Hash]? = nil) throws -> [UInt8] {
        try Fixture.recoveryKeys[key].entryAdding(
            try Fixture.certificate(device),
            account: log.account,
            heads: heads ?? log.announcedHeads,
            using: &generator
        ).encoded
    }

    @Test mutating func `a device that shows an entry by the recovery key is in, with all rights`() throws {
        let bytes = try entry(0, 7)
        try log.recover(try Fixture.certificate(7), with: bytes)
        #expect(log.standing(7) == .active(.full) && log.count == 3)
        // The welcome was lost, and it asks again.
        try log.recover(try Fixture.certificate(7), with: bytes)
        #expect(log.count == 3)
    }

    @Test mutating func `heads of an old past are no hindrance`() throws {
        let bytes = try entry(0, 7, heads: [log.genesisHash])
        try log.recover(try Fixture.certificate(7), with: bytes)
        #expect(log.standing(7) == .active(.full))
    }

    @Test mutating func `an entry by a replaced key is refused, and not even kept`() throws {
        let early = log.announcedHeads
        _ = try log.add(
            .replaceRecoveryKey(Fixture.recoveryKeys[1].publicKey.bytes),
            by: .recovery(Fixture.recoveryKeys[0])
        )
        #expect(log.state.earlierRecoveryKeys == [Fixture.recoveryKeys[0].publicKey])
        let old = try entry(0, 7, heads: early)
        #expect(throws: AccountError.otherRecoveryKey) { try log.recover(try Fixture.certificate(7), with: old) }
        let late = try entry(0, 7)
        #expect(throws: AccountError.badSignature) { try log.recover(try Fixture.certificate(7), with: late) }
        #expect(log.count == 3 && log.standing(7) == .unknown)
        let new = try entry(1, 7)
        try log.recover(try Fixture.certificate(7), with: new)
        #expect(log.standing(7) == .active(.full))
    }

    @Test mutating func `an old entry does not serve a device that is in already`() throws {
        let early = log.announcedHeads
        _ = try log.add(
            .replaceRecoveryKey(Fixture.recoveryKeys[1].publicKey.bytes),
            by: .recovery(Fixture.recoveryKeys[0])
        )
        let old = try entry(0, 1, heads: early)
        #expect(throws: AccountError.otherRecoveryKey) { try log.recover(try Fixture.certificate(1), with: old) }
    }

    @Test mutating func `words of another account sign nothing here`() throws {
        let bytes = try entry(2, 7)
        #expect(throws: AccountError.badSignature) { try log.recover(try Fixture.certificate(7), with: bytes) }
        #expect(log.count == 2)
    }

    @Test mutating func `an entry for another device, or by a device, does not match the request`() throws {
        let forOther = try entry(0, 8)
        #expect(throws: AccountError.notAllowed) { try log.recover(try Fixture.certificate(7), with: forOther) }
        let byDevice = try Fixture.forge(
            try Fixture.addition(7),
            in: log,
            parents: log.announcedHeads,
            signer: Fixture.signer(0)
        )
        #expect(throws: AccountError.notAllowed) { try log.recover(try Fixture.certificate(7), with: byDevice) }
        let lesser = try Fixture.forge(
            try Fixture.addition(7, role: .readOnly),
            in: log,
            parents: log.announcedHeads,
            signer: .recovery(Fixture.recoveryKeys[0])
        )
        #expect(throws: AccountError.notAllowed) { try log.recover(try Fixture.certificate(7), with: lesser) }
        #expect(log.standing(7) == .unknown)
    }

    @Test mutating func `a removed device stays out`() throws {
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        let bytes = try entry(0, 1)
        #expect(throws: AccountError.deviceRemoved(Fixture.device(1))) {
            try log.recover(try Fixture.certificate(1), with: bytes)
        }
    }

    @Test func `the secret of the channel follows from the words, and from nothing that the account log names`() throws
    {
        var random = SeededGenerator(seed: 77)
        let phrases = (0..<2).map { _ in RecoveryPhrase(using: &random).words }
        let doors = try phrases.map { RecoveryDoor(try RecoveryPhrase(typed: $0.joined(separator: " "))).export() }
        #expect(doors[0] != doors[1] && doors[0].secret != doors[1].secret)
        let again = RecoveryDoor(try RecoveryPhrase(typed: phrases[0].joined(separator: " ")))
        #expect(again.export() == doors[0])
        let key = RecoveryKey(try RecoveryPhrase(typed: phrases[0].joined(separator: " ")))
        #expect(key.door.export() == doors[0] && key.publicKey.bytes == doors[0].key)
        let half = SecretBytes(copying: doors[0].key, placement: .transient)
        let ofPublicHalf = half.derivedKey(.recoveryChannel, placement: .guarded).exportBytes()
        #expect(ofPublicHalf != doors[0].secret)
    }
}
