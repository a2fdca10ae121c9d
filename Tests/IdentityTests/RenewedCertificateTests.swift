import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// A device of an account states its keys anew.
@Suite struct `A renewed certificate` {
    private typealias Fixture = AccountFixture
    private static let key = [UInt8](repeating: 7, count: 1_216)
    private static let issued: UInt64 = 1_700_000_000_000

    private static func certificate(
        _ index: Int,
        issued: UInt64 = issued + 1,
        key: [UInt8] = key
    ) throws -> VerifiedCertificate {
        try Fixture.devices[index].certificate(name: "device-\(index)", issued: issued, encapsulationKey: key)
    }

    private static func stated(_ log: AccountLog, _ index: Int) -> [UInt8]? {
        log.state.devices[Fixture.device(index)]?.certificate.certificate.encapsulationKey
    }

    private static func log(_ roles: DeviceRole...) throws -> AccountLog {
        var log = try Fixture.newLog()
        for (index, role) in roles.enumerated() {
            _ = try log.add(try Fixture.addition(index + 1, role: role), by: Fixture.signer(0))
        }
        return log
    }

    private static func renew(_ log: AccountLog, _ certificate: VerifiedCertificate, by index: Int) throws -> [UInt8]? {
        var random = SeededGenerator(seed: 5)
        return try log.renewing(certificate, by: Fixture.devices[index], using: &random)?.encoded
    }

    @Test func `replaces the one that the device brought, once`() throws {
        var log = try Self.log(.full)
        #expect(Self.stated(log, 1) == [])
        let entry = try #require(try Self.renew(log, try Self.certificate(1), by: 1))
        #expect(try log.insert(entry))
        #expect(Self.stated(log, 1) == Self.key && Self.stated(log, 0) == [])
        let device = try #require(log.state.devices[Fixture.device(1)])
        #expect(device.role == .full && device.addedAt == 1 && device.addedMilliseconds == Self.issued)
        #expect(try Self.renew(log, try Self.certificate(1), by: 1) == nil)
        #expect(try Self.renew(log, try Self.certificate(1, issued: Self.issued), by: 1) == nil)
    }

    @Test func `of a device without all rights is entered by another`() throws {
        var log = try Self.log(.readOnly)
        #expect(throws: AccountError.notAllowed) { try Self.renew(log, try Self.certificate(1), by: 1) }
        #expect(try log.insert(try #require(try Self.renew(log, try Self.certificate(1), by: 0))))
        #expect(Self.stated(log, 1) == Self.key && log.standing(1) == .active(.readOnly))
    }

    @Test func `cannot fill the log with entries of another device`() throws {
        var log = try Self.log(.readOnly)
        for number in 1...UInt64(AccountLog.renewalCountMax) {
            let shown = try Self.certificate(1, issued: Self.issued + number)
            #expect(try log.insert(try #require(try Self.renew(log, shown, by: 0))))
        }
        #expect(try Self.renew(log, try Self.certificate(1, issued: Self.issued + 1_000), by: 0) == nil)
    }

    @Test func `is the newest one in whatever order they come`() throws {
        let before = try Self.log(.full)
        let entries = try (1...3).map { number in
            try Fixture.forge(
                .renewCertificate(
                    Self.certificate(1, issued: Self.issued + UInt64(number), key: [UInt8(number)]).signed.encoded
                ),
                in: before,
                parents: before.heads,
                signer: Fixture.signer(number % 2),
                nonce: UInt8(number)
            )
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            var log = before
            for index in order { try log.insert(entries[index]) }
            #expect(Self.stated(log, 1) == [3], "\(order)")
        }
    }

    @Test func `of equally new ones is the same on every replica`() throws {
        let before = try Self.log(.full)
        let entries = try (1...4).map { number in
            try Fixture.forge(
                .renewCertificate(Self.certificate(1, key: [UInt8(number)]).signed.encoded),
                in: before,
                parents: before.heads,
                signer: Fixture.signer(0),
                nonce: UInt8(number)
            )
        }
        var (one, other) = (before, before)
        for entry in entries { try one.insert(entry) }
        for entry in entries.reversed() { try other.insert(entry) }
        #expect(one.state == other.state)
    }

    @Test func `of two devices at once holds for both`() throws {
        let before = try Self.log(.full)
        let first = try #require(try Self.renew(before, try Self.certificate(0), by: 0))
        let second = try #require(try Self.renew(before, try Self.certificate(1), by: 1))
        for entries in [[first, second], [second, first]] {
            var log = before
            for entry in entries { try log.insert(entry) }
            #expect(Self.stated(log, 0) == Self.key && Self.stated(log, 1) == Self.key)
        }
    }

    @Test func `has no effect when it is none, a stranger's, older, or for another channel`() throws {
        var log = try Self.log(.full)
        var tampered = try Self.certificate(1).signed.encoded
        tampered[tampered.count - 1] ^= 1
        let (lap, other) = (Fixture.devices[1], Fixture.devices[2])
        let otherChannel = DeviceCertificate(
            device: lap.deviceID,
            agreementKey: other.agreementKey.publicKey.bytes,
            encapsulationKey: Self.key,
            issued: Self.issued + 9,
            name: "device-1"
        )
        let signed = SignedDeviceCertificate(
            otherChannel,
            signature: lap.sign(otherChannel.encoded, context: .deviceCertificate)
        )
        let bytes = [
            [], [1, 2, 3], tampered, try Self.certificate(7).signed.encoded,
            try Self.certificate(1, issued: Self.issued - 1).signed.encoded, signed.encoded,
        ]
        for (nonce, bytes) in bytes.enumerated() {
            _ = try log.add(.renewCertificate(bytes), by: Fixture.signer(0), nonce: UInt8(nonce))
        }
        #expect(Self.stated(log, 1) == [] && log.state.devices.count == 2)
        // The refused renewals before do not stand in the way of the right one.
        #expect(try log.insert(try #require(try Self.renew(log, try Self.certificate(1), by: 1))))
        #expect(Self.stated(log, 1) == Self.key)
    }

    @Test func `by a removed device above its cut is ignored, and a removed one gets none`() throws {
        var log = try Self.log(.full, .full)
        let past = log.heads
        _ = try log.add(Fixture.removal(1, keeping: past), by: Fixture.signer(0))
        _ = try log.add(.renewCertificate(try Self.certificate(2).signed.encoded), by: Fixture.signer(1), after: past)
        #expect(Self.stated(log, 2) == [])
        #expect(try Self.renew(log, try Self.certificate(1), by: 0) == nil)
    }

    @Test func `adds no device`() throws {
        var log = try Self.log(.readOnly)
        let bytes = try Fixture.forge(
            .renewCertificate(try Self.certificate(1).signed.encoded),
            in: log,
            parents: log.heads,
            signer: Fixture.signer(1)
        )
        #expect(throws: AccountError.authorNotAdded) { try log.insert(bytes) }
    }
}
