import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// The bounds of the rooms in an account's log, and the entries that have a place whatever the others are.
@Suite struct `Room in an account's log` {
    private typealias Fixture = AccountFixture

    /// An account with devices 0 to 2.
    private func household() throws -> AccountLog {
        var log = try Fixture.newLog()
        for index in 1...2 { _ = try log.add(try Fixture.addition(index), by: Fixture.signer(0)) }
        return log
    }

    private func name(_ entry: [UInt8]) throws -> Hash { try UnverifiedAccountEntry(entry).hash }

    /// Returns entries of no meaning by device 1.
    private func junk(_ count: Int, in log: AccountLog, after parents: [Hash]) throws -> [[UInt8]] {
        try (0..<count).map { number in
            let action = AccountAction.unknown(tag: 99, bytes: [UInt8(number >> 8), UInt8(number & 0xFF)])
            return try Fixture.forge(action, in: log, parents: parents, signer: Fixture.signer(1))
        }
    }

    @Test func `keeps no entry without its parents, so that the log can be read from the disk`() throws {
        var log = try household()
        let old = log.heads
        _ = try log.add(Fixture.removal(2, keeping: old), by: Fixture.signer(0))
        // One more than device 1 has room for. The removed device writes on top of the first one and of the last one.
        let entries = try junk(AccountRoom.plainPerDevice.entryCount + 1, in: log, after: old)
        let parents = [try name(entries[0]), try name(entries[entries.count - 1])]
        let children = try parents.map { parent in
            let action = AccountAction.unknown(tag: 98, bytes: [1])
            return try Fixture.forge(action, in: log, parents: [parent], signer: Fixture.signer(2))
        }
        #expect(throws: AccountError.full) { try log.insert(contentsOf: entries + children) }
        let kept = try (parents + children.map { try name($0) }).map { log.contains($0) }
        #expect(kept == [true, false, true, false])
        let copy = try AccountLog(stored: log.storedEntries)
        #expect(copy.state == log.state && copy.storedEntries == log.storedEntries)
    }

    @Test func `is reserved for removals by the first 32 devices, and by no later one`() throws {
        var generator = SeededGenerator(seed: 0x33)
        let later = (0..<AccountRoom.reservedDeviceCount).map { _ in DeviceIdentity(using: &generator) }
        var log = try Fixture.newLog()
        for identity in later {
            let certificate = try identity.certificate(name: "device", issued: 1_700_000_000_000)
            let action = AccountAction.addDevice(
                certificate: certificate.signed.encoded,
                role: .full,
                name: "device"
            )
            _ = try log.add(action, by: Fixture.signer(0))
        }
        let (first, second) = (later[AccountRoom.reservedDeviceCount - 2], later[AccountRoom.reservedDeviceCount - 1])
        let removal = AccountAction.removeDevice(DeviceRemoval(of: later[0].deviceID, keeping: [], witness: nil))
        let past = log.heads
        func removals(_ count: Int, by identity: DeviceIdentity) throws -> [[UInt8]] {
            try (0..<count).map { number in
                let entry = AccountEntry(
                    account: log.account,
                    parents: past,
                    author: AccountSigner.device(identity).author,
                    nonce: [UInt8](repeating: UInt8(number & 0xFF), count: 15) + [UInt8(number >> 8)],
                    action: removal
                )
                return try AccountSigner.device(identity).sign(entry).encoded
            }
        }
        // The 33rd device takes all the common room, and wants more; then the 32nd takes all of its own.
        let flood =
            try removals(AccountRoom.removals.entryCount + 1, by: second)
            + removals(AccountRoom.removalsPerDevice.entryCount + 1, by: first)
        #expect(throws: AccountError.full) { try log.insert(contentsOf: flood) }
        func count(by identity: DeviceIdentity) -> Int {
            log.nodes.count { $0.isRemoval && $0.authorDevice == identity.deviceID }
        }
        #expect(count(by: second) == AccountRoom.removals.entryCount)
        #expect(count(by: first) == AccountRoom.removalsPerDevice.entryCount)
    }

    @Test func `for the heads that are sent is given to the recovery words and to removals first`() throws {
        var log = try household()
        let past = log.heads
        // All other heads are of a greater generation.
        let base = try log.add(.unknown(tag: 97, bytes: []), by: Fixture.signer(1), after: past)
        let others = try junk(100, in: log, after: [base])
        #expect(try log.insert(contentsOf: others) == 100)
        let words = AccountSigner.recovery(Fixture.recoveryKeys[0])
        let byWords = try log.add(try Fixture.addition(7), by: words, after: past)
        let removal = try log.add(Fixture.removal(2), by: Fixture.signer(0), after: past)
        #expect(log.heads.count == 102 && log.announcedHeads.count == Limits.accountHeadCountMax)
        #expect(log.announcedHeads.contains(byWords) && log.announcedHeads.contains(removal))
    }
}
