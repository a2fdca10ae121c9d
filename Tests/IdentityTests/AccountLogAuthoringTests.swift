import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// Entries made by the rules, and the cuts of zones that they carry.
@Suite struct AccountLogAuthoringTests {
    typealias Fixture = AccountFixture

    private static let zone = ZoneID(Digest32(word0: 5, word1: 5, word2: 5, word3: 5))
    private static let actors = (1...3).map { ActorID(Digest32(word0: UInt64($0), word1: 0, word2: 0, word3: 0)) }
    private static let roots = (1...3).map { Hash(Digest32(word0: 0, word1: UInt64($0), word2: 0, word3: 0)) }

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

    private mutating func remove(
        _ index: Int,
        cuts: [ZoneCutRequest] = [],
        by signer: AccountSigner
    ) throws {
        let entry = try log.removingDevice(Fixture.device(index), cuts: cuts, signer: signer, using: &generator)
        try log.insert(entry.encoded)
    }

    private func cut(_ actor: Int, device: Int, lane: Lane = .data, zone: ZoneID = zone) -> LogCut {
        log.state.cut(for: Self.actors[actor], device: Fixture.device(device), lane: lane, zone: zone)
    }

    @Test func `devices have the roles that they were given`() {
        #expect(log.standing(1) == .active(.full))
        #expect(log.standing(3) == .active(.relayOnly))
        #expect(log.state.fullDevices == (0...2).map(Fixture.device))
    }

    @Test mutating func `a removal cuts each log where the remover holds it, and unlisted ones at zero`() throws {
        let logs = [
            LogPosition(actor: Self.actors[0], lane: .data, size: 12, root: Self.roots[0]),
            LogPosition(actor: Self.actors[1], lane: .control, size: 3, root: Self.roots[1]),
            LogPosition(actor: Self.actors[2], lane: .data, size: 0, root: .zero),
        ]
        #expect(cut(0, device: 1) == .none)
        try remove(1, cuts: [ZoneCutRequest(zone: Self.zone, logs: logs)], by: Fixture.signer(0))
        #expect(cut(0, device: 1) == .at(size: 12, root: Self.roots[0]))
        #expect(cut(0, device: 1, lane: .control) == .zero)
        #expect(cut(1, device: 1, lane: .control) == .at(size: 3, root: Self.roots[1]))
        #expect(cut(2, device: 1) == .zero)
        #expect(cut(0, device: 1, zone: .zero) == .zero)
        #expect(cut(0, device: 2) == .none)
        #expect(cut(0, device: 9) == .zero)
    }

    @Test mutating func `of several removals the smallest cut holds`() throws {
        let bases = log
        for (size, root, signer) in [(UInt64(12), 0, 0), (7, 1, 1), (9, 2, 2)] {
            let position = LogPosition(actor: Self.actors[0], lane: .data, size: size, root: Self.roots[root])
            let entry = try bases.removingDevice(
                Fixture.device(3),
                cuts: [ZoneCutRequest(zone: Self.zone, logs: [position])],
                signer: Fixture.signer(signer),
                using: &generator
            )
            try log.insert(entry.encoded)
        }
        #expect(cut(0, device: 3) == .at(size: 7, root: Self.roots[1]))
    }

    @Test mutating func `which zones a device was in stays hidden, and the same zone looks different each time`() throws
    {
        let position = LogPosition(actor: Self.actors[0], lane: .data, size: 1, root: Self.roots[0])
        let request = ZoneCutRequest(zone: Self.zone, logs: [position])
        try remove(2, cuts: [request], by: Fixture.signer(0))
        try remove(3, cuts: [request], by: Fixture.signer(0))
        var blinded: Set<Hash> = []
        for index in [2, 3] {
            guard case .removed(let cuts) = log.state.devices[Fixture.device(index)]?.status else { continue }
            blinded.formUnion(cuts.flatMap { $0.zones.map(\.zone) })
        }
        #expect(blinded.count == 2)
        #expect(!blinded.contains(Hash(Self.zone.digest)))
    }

    @Test mutating func `what a device let in before its removal stays`() throws {
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

    @Test mutating func `a removal may keep less than what the log holds`() throws {
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
            cuts: [],
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
            try log.removingDevice(Fixture.device(9), cuts: [], signer: Fixture.signer(0), using: &generator)
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
            try log.removingDevice(Fixture.device(1), cuts: [], signer: Fixture.signer(0), using: &generator)
        }
        #expect(throws: AccountError.notAllowed) {
            try log.addingDevice(newcomer, role: .full, name: "x", signer: Fixture.signer(1), using: &generator)
        }
    }

    @Test mutating func `the last device with all rights is removed by the recovery key alone`() throws {
        try remove(1, by: Fixture.signer(0))
        try remove(2, by: Fixture.signer(0))
        #expect(throws: AccountError.lastFullDevice) {
            try log.removingDevice(Fixture.device(0), cuts: [], signer: Fixture.signer(0), using: &generator)
        }
        try remove(0, by: .recovery(Fixture.recoveryKeys[0]))
        #expect(log.state.fullDevices.isEmpty)
        // A new device, let in with the phrase, goes on with the account.
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
            cuts: [],
            on: Fixture.device(1),
            recoveryKey: Fixture.recoveryKeys[0],
            using: &generator
        )
        try log.insert(entry.encoded)
        #expect(log.standing(0) == .removed && log.standing(1) == .active(.full))
        #expect(log.standing(2) == .removed, "an earlier removal by the same device goes on to count")
        #expect(log.standing(3) == .active(.relayOnly), "as do the devices that it had added")
        // Whatever the thief signs afterwards, over the old past or the new one, changes nothing.
        let late = try thief.removingDevice(
            Fixture.device(1),
            cuts: [],
            signer: Fixture.signer(0),
            using: &generator
        )
        try log.insert(late.encoded)
        #expect(log.standing(0) == .removed && log.standing(1) == .active(.full))
    }

    @Test mutating func `the words remove nobody who is gone already, unknown, or by another key`() throws {
        func removal(_ device: Int, key: Int = 0) throws -> SignedAccountEntry {
            try log.removingDevice(
                Fixture.device(device),
                cuts: [],
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

    @Test mutating func `making an entry changes nothing until it is taken in`() throws {
        let before = log.heads
        let entry = try log.removingDevice(Fixture.device(1), cuts: [], signer: Fixture.signer(0), using: &generator)
        #expect(log.heads == before && log.standing(1) == .active(.full))
        try log.insert(entry.encoded)
        #expect(log.standing(1) == .removed && log.heads.count == 1)
    }
}
