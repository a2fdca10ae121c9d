import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// The key by which the account's devices find and call each other is renewed with each removal.
@Suite struct `The key of an account's devices` {
    private typealias Fixture = AccountFixture
    private static let sealed: @Sendable ([UInt8], [UInt8], [UInt8]) -> [UInt8]? = { secret, key, _ in secret + key }

    /// An account with these devices beside the first one, each with a key for envelopes.
    private static func log(_ roles: DeviceRole...) throws -> AccountLog {
        var log = try Fixture.newLog()
        for (index, role) in roles.enumerated() {
            let certificate = try Fixture.devices[index + 1].certificate(
                name: "device",
                issued: 1_700_000_000_000,
                encapsulationKey: [UInt8(index + 1)]
            )
            let action = AccountAction.addDevice(certificate: certificate.signed.encoded, role: role, name: "device")
            _ = try log.add(action, by: Fixture.signer(0))
        }
        return log
    }

    /// Makes a key and enters it.
    @discardableResult
    private static func renew(
        _ log: inout AccountLog,
        by signer: AccountSigner = Fixture.signer(0),
        seed: UInt64 = 9
    ) throws -> FleetKey {
        var generator = SeededGenerator(seed: seed)
        let (entry, key) = try log.renewingFleetKey(signer: signer, using: &generator, seal: sealed)
        #expect(try log.insert(entry.encoded))
        return key
    }

    private static func keyring() -> AccountKeyring {
        var generator = SeededGenerator(seed: 43)
        return AccountKeyring(using: &generator)
    }

    @Test func `is the one that came with the account until a device is removed`() throws {
        var log = try Self.log(.full)
        #expect(log.state.fleet.generations.map(\.entry) == [.zero] && !log.state.fleet.isDue)
        for seed in 1...5 { try Self.renew(&log, by: Fixture.signer(1), seed: UInt64(seed)) }
        #expect(log.state.fleet.generations.first?.entry == .zero, "keys that nobody needs change nothing")
        #expect(log.state.fleet.generations.count == 6 && !log.state.fleet.isDue)
    }

    @Test func `is due with a removal, and is sealed to all remaining devices and to no other`() throws {
        var log = try Self.log(.full, .readOnly, .relayOnly)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        #expect(log.state.fleet.isDue)
        let key = try Self.renew(&log)
        let present = try #require(log.state.fleet.generations.first)
        #expect(!log.state.fleet.isDue && present.isMade(of: key, in: log.account))
        #expect(present.envelope(for: Fixture.device(2)) == key.export().key + [2])
        #expect(present.envelope(for: Fixture.device(3)) == key.export().key + [3])
        #expect(present.envelope(for: Fixture.device(1)) == nil)
        let other = try FleetKey(FleetSecret(entry: key.entry, key: [UInt8](repeating: 1, count: 32)))
        #expect(!present.isMade(of: other, in: log.account), "nobody can hand on another one")
        #expect(!present.isMade(of: key, in: .zero))
    }

    @Test func `of a removal by the recovery words can be made by them`() throws {
        var log = try Self.log(.full)
        _ = try log.add(Fixture.removal(0), by: .recovery(Fixture.recoveryKeys[0]))
        let key = try Self.renew(&log, by: .recovery(Fixture.recoveryKeys[0]))
        #expect(log.state.fleet.generations.first?.entry == key.entry && !log.state.fleet.isDue)
    }

    @Test func `that a removed device makes never counts`() throws {
        var log = try Self.log(.full, .full)
        let past = log.heads
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        let key = try Self.renew(&log)
        // It has not seen the removal, or claims so.
        var behind = try AccountLog(stored: log.storedEntries.filter { try UnverifiedAccountEntry($0).isAddition })
        #expect(behind.heads == past)
        let before = behind.state.fleet.generations.count
        let made = try Self.renew(&behind, by: Fixture.signer(1), seed: 3)
        #expect(behind.state.fleet.generations.count == before + 1)
        for entry in behind.storedEntries { _ = try log.insert(entry) }
        #expect(log.state.fleet.generation(made.entry) == nil)
        #expect(log.state.fleet.generations.first?.entry == key.entry)
        // Nor does one by a device without all rights.
        var role = try Self.log(.readOnly)
        #expect(throws: AccountError.notAllowed) { try Self.renew(&role, by: Fixture.signer(1)) }
    }

    @Test func `that names a removed device, or was made without its removal, is one that it may have`() throws {
        var log = try Self.log(.full, .full)
        let early = try Self.renew(&log, seed: 1)
        _ = try log.add(Fixture.removal(2), by: Fixture.signer(0))
        #expect(log.state.fleet.generation(early.entry)?.exposureCount == 1)
        let lie = FleetKeyRenewal(
            confirm: .zero,
            envelopes: [KeyEnvelope(device: Fixture.device(2), sealed: [1])]
        )
        let hash = try log.add(.renewFleetKey(lie.encoded), by: Fixture.signer(1))
        #expect(log.state.fleet.generation(hash)?.exposureCount == 1 && log.state.fleet.isDue)
        _ = try log.add(.renewFleetKey([7]), by: Fixture.signer(1))
        #expect(log.state.fleet.generations.count == 3, "what cannot be read has no effect")
        let key = try Self.renew(&log, seed: 2)
        #expect(log.state.fleet.generations.first?.entry == key.entry)
    }

    @Test func `counts a device once that was removed twice, and one that is named although it was removed`() throws {
        let before = try Self.log(.full, .full, .full)
        var (left, right) = (before, before)
        _ = try left.add(Fixture.removal(2), by: Fixture.signer(0))
        let made = try Self.renew(&left, by: Fixture.signer(0), seed: 1)
        _ = try right.add(Fixture.removal(2), by: Fixture.signer(1))
        for entry in right.storedEntries { _ = try left.insert(entry) }
        #expect(left.state.fleet.generation(made.entry)?.exposureCount == 0)
        #expect(left.state.fleet.generation(.zero)?.exposureCount == 1)
        _ = try left.add(Fixture.removal(3), by: Fixture.signer(0))
        #expect(left.state.fleet.generation(made.entry)?.exposureCount == 1)
        #expect(left.state.fleet.generation(.zero)?.exposureCount == 2)
        let named = FleetKeyRenewal(
            confirm: .zero,
            envelopes: [2, 3].map { KeyEnvelope(device: Fixture.device($0), sealed: [1]) }
        )
        let hash = try left.add(.renewFleetKey(named.encoded), by: Fixture.signer(0))
        #expect(left.state.fleet.generation(hash)?.exposureCount == 2)
    }

    @Test func `converges after removals that did not know of each other, in whatever order the entries come`() throws {
        let before = try Self.log(.full, .full, .full)
        var (left, right) = (before, before)
        _ = try left.add(Fixture.removal(2), by: Fixture.signer(0))
        try Self.renew(&left, by: Fixture.signer(0), seed: 1)
        _ = try right.add(Fixture.removal(3), by: Fixture.signer(1))
        try Self.renew(&right, by: Fixture.signer(1), seed: 2)
        var (one, other) = (left, right)
        for entry in right.storedEntries { _ = try one.insert(entry) }
        for entry in left.storedEntries { _ = try other.insert(entry) }
        #expect(one.state.fleet == other.state.fleet)
        #expect(one.state.fleet.isDue && one.state.fleet.generations.first?.exposureCount == 1)
        // Both make a key, at the same time.
        let first = try Self.renew(&one, by: Fixture.signer(0), seed: 3)
        let second = try Self.renew(&other, by: Fixture.signer(1), seed: 4)
        for entry in other.storedEntries { _ = try one.insert(entry) }
        for entry in one.storedEntries { _ = try other.insert(entry) }
        #expect(one.state.fleet == other.state.fleet && !one.state.fleet.isDue)
        #expect(one.state.fleet.generations.first?.entry == min(first.entry, second.entry))
        // Further ones, however many, change nothing.
        for seed in 10..<20 { try Self.renew(&one, by: Fixture.signer(1), seed: UInt64(seed)) }
        #expect(one.state.fleet.generations.first == other.state.fleet.generations.first)
    }

    @Test func `is held beside those that it retires, for a time and up to a number`() throws {
        var log = try Self.log(.full)
        var keyring = Self.keyring()
        #expect(keyring.updated(by: log.state.fleet, at: 5) == nil)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        let key = try Self.renew(&log)
        keyring = try #require(keyring.holding(key).updated(by: log.state.fleet, at: 5))
        #expect(keyring.fleetKey(log.state.fleet).entry == key.entry)
        #expect(keyring.fleetKeys.map(\.retirement) == [FleetKey.Retirement(noted: 5), nil])
        #expect(keyring.updated(by: log.state.fleet, at: 6) == nil, "nothing is different")
        for seed in 1...40 {
            let further = try Self.renew(&log, seed: UInt64(100 + seed))
            keyring = keyring.holding(further)
            keyring = keyring.updated(by: log.state.fleet, at: UInt64(5 + seed)) ?? keyring
        }
        #expect(keyring.fleetKeys.count == FleetKey.retiredCountMax + 1)
        #expect(keyring.fleetKey(log.state.fleet).entry == key.entry)
        // A file and a welcome have all of them; a file from before has none.
        let read = try KeyFile.accountKeys(from: KeyFile.encode(keyring, of: log.account)).keyring
        #expect(read.export() == keyring.export() && read.fleetKeys.first?.retirement == FleetKey.Retirement(noted: 5))
        #expect(read.presharedKey().exportBytes() == Self.keyring().presharedKey().exportBytes())
        // Keys of entries that the log does not have are dropped; without the one that comes first the next is used.
        let fresh = try Self.log(.full)
        #expect(keyring.updated(by: fresh.state.fleet, at: 99)?.fleetKeys.map(\.entry) == [.zero])
        #expect(Self.keyring().fleetKey(log.state.fleet).entry == .zero)
    }

    @Test func `is answered for 400 days that were lived through, whatever the clock says in between`() throws {
        let day: UInt64 = 86_400_000
        let years = 9 * 365 * day
        var log = try Self.log(.full)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        let key = try Self.renew(&log)
        var keyring = try #require(Self.keyring().holding(key).updated(by: log.state.fleet, at: 20 * 365 * day))
        var wall = 20 * 365 * day
        func first() throws -> FleetKey { try #require(keyring.fleetKeys.first) }
        func see(_ moment: UInt64) {
            wall = moment
            keyring = keyring.updated(by: log.state.fleet, at: wall) ?? keyring
        }
        // The clock was nine years behind when the key was retired, and is right now; it falls behind, and is right again.
        see(wall + years)
        see(wall - years)
        see(wall + years)
        #expect(try first().retirement?.days == 2 && first().isAnswered)
        // A day is counted once, however often the clock is read.
        for hour in 1...23 { see(wall + UInt64(hour) * 3_600_000 - UInt64(hour - 1) * 3_600_000) }
        #expect(try first().retirement?.days == 2)
        for count in 2..<FleetKey.answeredDays {
            #expect(try first().isAnswered, "\(count) days")
            see(wall + day)
        }
        #expect(try !first().isAnswered)
        #expect(FleetKeyOrder(keyring, log.state.fleet).answered.isEmpty)
        // A key that is read from a file goes on where it was.
        let read = try KeyFile.accountKeys(from: KeyFile.encode(keyring, of: log.account)).keyring
        #expect(read.fleetKeys.first?.retirement == keyring.fleetKeys.first?.retirement)
    }

    @Test func `is looked at once an hour`() {
        var keeping = FleetKeeping()
        let hour = FleetKeeping.countMilliseconds
        let answers = [7, 8, 7 + hour - 1, 7 + hour, 8 + hour].map { keeping.counts(at: $0) }
        #expect(answers == [true, false, false, true, false])
    }

    @Test func `gives other secrets than the one before`() throws {
        var generator = SeededGenerator(seed: 7)
        let (one, other) = (FleetKey(using: &generator), FleetKey(using: &generator))
        let derived = [one, other].flatMap { [$0.presharedKey().exportBytes(), $0.discoveryKey().exportBytes()] }
        #expect(Set(derived).count == 4)
    }

    @Test func `is made by one device after the other, and again only after a minute`() throws {
        var log = try Self.log(.full, .full, .readOnly)
        _ = try log.add(Fixture.removal(1), by: Fixture.signer(0))
        var (first, second, reader) = (FleetKeeping(), FleetKeeping(), FleetKeeping())
        let turn = FleetKeeping.turnMilliseconds
        #expect(first.step(log.state, own: Fixture.device(0), at: 100) == .wait(until: 100 + turn))
        #expect(second.step(log.state, own: Fixture.device(2), at: 100) == .wait(until: 100 + 2 * turn))
        #expect(reader.step(log.state, own: Fixture.device(3), at: 100) == .rest)
        #expect(first.step(log.state, own: Fixture.device(0), at: 100 + turn) == .make)
        #expect(
            first.step(log.state, own: Fixture.device(0), at: 100 + turn)
                == .wait(until: 100 + turn + FleetKeeping.longestMilliseconds)
        )
        try Self.renew(&log)
        #expect(first.step(log.state, own: Fixture.device(0), at: 200 + turn) == .rest)
        #expect(second.step(log.state, own: Fixture.device(2), at: 100 + 2 * turn) == .rest)
    }
}

extension UnverifiedAccountEntry {
    /// Whether it starts the account or adds a device.
    fileprivate var isAddition: Bool {
        switch signed.entry.action {
        case .genesis, .addDevice: true
        default: false
        }
    }
}
