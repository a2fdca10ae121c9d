import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// Entries made by the rules.
@Suite struct AccountLogAuthoringTests {
    typealias Fixture = AccountFixture

    private var log: AccountLog
    private var generator = SeededGenerator(seed: 71)

    init() throws {
        log = try Fixture.newLog()
        for index in 1...3 {
            let entry = try log.addingDevice(
                try Fixture.certificate(index),
                role: index == 3 ? .relayOnly : .full,
                name: "device-\(index)",
                signer: Fixture.signer(0),
                using: &generator
            )
            try log.insert(entry.encoded)
        }
    }

    private mutating func remove(_ index: Int, by signer: AccountSigner) throws {
        let entry = try log.removingDevice(Fixture.device(index), witness: nil, signer: signer, using: &generator)
        try log.insert(entry.encoded)
    }

    @Test func `devices have the roles that they were given`() {
        #expect(log.standing(1) == .active(.full))
        #expect(log.standing(3) == .active(.relayOnly))
        #expect(log.state.fullDevices == (0...2).map(Fixture.device))
    }

    @Test mutating func `the witnesses of a removed device are those that its removals name`() throws {
        let bases = log
        for (signer, witness) in [(0, Fixture.device(0)), (1, nil), (2, Fixture.device(1))] {
            let entry = try bases.removingDevice(
                Fixture.device(3),
                witness: witness,
                signer: Fixture.signer(signer),
                using: &generator
            )
            try log.insert(entry.encoded)
        }
        #expect(log.state.witnesses(of: Fixture.device(3)) == [Fixture.device(0), Fixture.device(1)])
        #expect(log.state.witnesses(of: Fixture.device(2)).isEmpty)
    }

    @Test func `a device is a witness of removals by the words on it from a day after its addition on`() throws {
        let added = try #require(log.state.devices[Fixture.device(1)]?.addedMilliseconds)
        let day: UInt64 = 24 * 60 * 60 * 1_000
        #expect(log.state.witness(of: Fixture.device(0), wallMilliseconds: 0) == Fixture.device(0))
        #expect(log.state.witness(of: Fixture.device(1), wallMilliseconds: added + day - 1) == nil)
        #expect(log.state.witness(of: Fixture.device(1), wallMilliseconds: added + day) == Fixture.device(1))
        #expect(log.state.witness(of: Fixture.device(9), wallMilliseconds: added + day) == nil)
    }

    @Test mutating func `devices that a removed device had added stay`() throws {
        let entry = try log.addingDevice(
            try Fixture.certificate(5),
            role: .full,
            name: "five",
            signer: Fixture.signer(1),
            using: &generator
        )
        try log.insert(entry.encoded)
        try remove(1, by: Fixture.signer(0))
        #expect(log.standing(5) == .active(.full))
        #expect(log.standing(1) == .removed)
    }

    @Test mutating func `a removal may keep less than the log holds`() throws {
        let before = log.heads
        let entry = try log.addingDevice(
            try Fixture.certificate(5),
            role: .full,
            name: "five",
            signer: Fixture.signer(1),
            using: &generator
        )
        try log.insert(entry.encoded)
        let removal = try log.removingDevice(
            Fixture.device(1),
            witness: nil,
            keeping: before,
            signer: Fixture.signer(0),
            using: &generator
        )
        try log.insert(removal.encoded)
        #expect(log.standing(5) == .unknown)
    }

    @Test mutating func `an entry that makes no sense is not made`() throws {
        let certificate = try Fixture.certificate(1)
        #expect(throws: AccountError.deviceAlreadyAdded(Fixture.device(1))) {
            try log.addingDevice(certificate, role: .full, name: "x", signer: Fixture.signer(0), using: &generator)
        }
        #expect(throws: AccountError.unknownDevice(Fixture.device(9))) {
            try log.removingDevice(Fixture.device(9), witness: nil, signer: Fixture.signer(0), using: &generator)
        }
        let newcomer = try Fixture.certificate(9)
        for outsider in [3, 8] {
            #expect(throws: AccountError.notAllowed) {
                try log.addingDevice(
                    newcomer,
                    role: .full,
                    name: "x",
                    signer: Fixture.signer(outsider),
                    using: &generator
                )
            }
        }
        #expect(throws: AccountError.malformed(.tooLong(limit: 63))) {
            try log.addingDevice(
                newcomer,
                role: .full,
                name: String(repeating: "x", count: 64),
                signer: Fixture.signer(0),
                using: &generator
            )
        }
        try remove(1, by: Fixture.signer(0))
        #expect(throws: AccountError.deviceRemoved(Fixture.device(1))) {
            try log.addingDevice(certificate, role: .full, name: "x", signer: Fixture.signer(0), using: &generator)
        }
        #expect(throws: AccountError.deviceRemoved(Fixture.device(1))) {
            try log.removingDevice(Fixture.device(1), witness: nil, signer: Fixture.signer(0), using: &generator)
        }
        #expect(throws: AccountError.notAllowed) {
            try log.addingDevice(newcomer, role: .full, name: "x", signer: Fixture.signer(1), using: &generator)
        }
    }

    @Test mutating func `the last device with all rights is removed by the recovery key alone`() throws {
        try remove(1, by: Fixture.signer(0))
        try remove(2, by: Fixture.signer(0))
        #expect(throws: AccountError.lastFullDevice) {
            try log.removingDevice(Fixture.device(0), witness: nil, signer: Fixture.signer(0), using: &generator)
        }
        try remove(0, by: .recovery(Fixture.recoveryKeys[0]))
        #expect(log.state.fullDevices.isEmpty)
        // A new device, added with the phrase, goes on with the account.
        let entry = try log.addingDevice(
            try Fixture.certificate(5),
            role: .full,
            name: "five",
            signer: .recovery(Fixture.recoveryKeys[0]),
            using: &generator
        )
        try log.insert(entry.encoded)
        #expect(log.state.fullDevices == [Fixture.device(5)])
    }

    @Test mutating func `the words remove the first device, undo its removal of the one that uses them, and stay`()
        throws
    {
        // Device 0, the first one, has removed device 2 when it is stolen. Then it removes device 1.
        let thief = log
        try remove(2, by: Fixture.signer(0))
        try remove(1, by: Fixture.signer(0))
        #expect(log.standing(1) == .removed && log.standing(0) == .active(.full))
        let entry = try log.removingDevice(
            Fixture.device(0),
            witness: nil,
            on: Fixture.device(1),
            recoveryKey: Fixture.recoveryKeys[0],
            using: &generator
        )
        try log.insert(entry.encoded)
        #expect(log.standing(0) == .removed && log.standing(1) == .active(.full))
        #expect(log.standing(2) == .removed, "an earlier removal by the same device goes on to count")
        #expect(log.standing(3) == .active(.relayOnly), "as do the devices that it had added")
        // Nothing that the thief signs afterwards, over the old past or the new one, changes anything.
        let late = try thief.removingDevice(
            Fixture.device(1),
            witness: nil,
            signer: Fixture.signer(0),
            using: &generator
        )
        try log.insert(late.encoded)
        #expect(log.standing(0) == .removed && log.standing(1) == .active(.full))
    }

    @Test mutating func `the words remove no device that is gone already, unknown, or named by another key`() throws {
        func removal(_ device: Int, key: Int = 0) throws -> SignedAccountEntry {
            try log.removingDevice(
                Fixture.device(device),
                witness: nil,
                on: Fixture.device(0),
                recoveryKey: Fixture.recoveryKeys[key],
                using: &generator
            )
        }
        #expect(throws: AccountError.otherRecoveryKey) { try removal(1, key: 1) }
        #expect(throws: AccountError.unknownDevice(Fixture.device(6))) { try removal(6) }
        try remove(1, by: Fixture.signer(0))
        #expect(throws: AccountError.deviceRemoved(Fixture.device(1))) { try removal(1) }
    }

    @Test mutating func `only the present recovery key puts another one in its place`() throws {
        let keys = Fixture.recoveryKeys
        let entry = try log.replacingRecoveryKey(with: keys[1].publicKey, recoveryKey: keys[0], using: &generator)
        try log.insert(entry.encoded)
        #expect(log.state.recoveryKey == keys[1].publicKey)
        #expect(throws: AccountError.otherRecoveryKey) {
            try log.replacingRecoveryKey(with: keys[2].publicKey, recoveryKey: keys[0], using: &generator)
        }
        #expect(throws: AccountError.otherRecoveryKey) { try remove(1, by: .recovery(keys[0])) }
        try remove(1, by: .recovery(keys[1]))
        #expect(log.standing(1) == .removed)
    }

    @Test mutating func `making an entry changes nothing until it is applied`() throws {
        let before = log.heads
        let entry = try log.removingDevice(
            Fixture.device(1),
            witness: nil,
            signer: Fixture.signer(0),
            using: &generator
        )
        #expect(log.heads == before && log.standing(1) == .active(.full))
        try log.insert(entry.encoded)
        #expect(log.standing(1) == .removed && log.heads.count == 1)
    }
}
