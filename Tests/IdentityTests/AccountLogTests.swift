import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// The entries that a log accepts, and those that it refuses.
@Suite struct AccountLogTests {
    typealias Fixture = AccountFixture

    @Test func `a new account has its first device with all rights`() throws {
        let log = try Fixture.newLog()
        #expect(log.standing(0) == .active(.full))
        #expect(log.standing(1) == .unknown)
        #expect(log.state.recoveryKey == Fixture.recoveryKeys[0].publicKey)
        #expect(log.count == 1 && log.heads.count == 1)
        let entry = try #require(log.state.devices[Fixture.device(0)])
        #expect(entry.addedAt == 0 && entry.name == "device-0" && entry.status == .active)
    }

    @Test func `the account is named by its genesis`() throws {
        let log = try Fixture.newLog()
        #expect(try AccountLog(genesis: log.genesisBytes).account == log.account)
        #expect(try Fixture.newLog(seed: 2).account != log.account)
    }

    @Test func `a genesis with a flipped bit or another author is refused`() throws {
        let log = try Fixture.newLog()
        var damaged = log.genesisBytes
        damaged[damaged.count - 1] ^= 1
        #expect(throws: AccountError.badSignature) { try AccountLog(genesis: damaged) }
        var generator = SeededGenerator(seed: 3)
        #expect(throws: AccountError.authorNotAdded) {
            try AccountLog.create(
                identity: Fixture.devices[0],
                certificate: try Fixture.certificate(1),
                recoveryKey: Fixture.recoveryKeys[0].publicKey,
                name: "x",
                using: &generator
            )
        }
    }

    @Test func `a log does not start with another entry`() throws {
        let log = try Fixture.newLog()
        let entry = try Fixture.forge(
            try Fixture.addition(1),
            in: log,
            parents: log.heads,
            signer: Fixture.signer(0)
        )
        #expect(throws: AccountError.notGenesis) { try AccountLog(genesis: entry) }
        #expect(throws: AccountError.malformed(.truncated)) { try AccountLog(genesis: []) }
    }

    @Test func `taking an entry in twice changes nothing`() throws {
        var log = try Fixture.newLog()
        let entry = try Fixture.forge(try Fixture.addition(1), in: log, parents: log.heads, signer: Fixture.signer(0))
        #expect(try log.insert(entry))
        let before = log.state
        #expect(try !log.insert(entry))
        #expect(try !log.insert(log.genesisBytes))
        #expect(log.state == before && log.count == 2)
    }

    @Test func `an entry whose parents are not here names them`() throws {
        let log = try Fixture.newLog()
        var other = log
        let first = try other.add(try Fixture.addition(1), by: Fixture.signer(0))
        let child = try Fixture.forge(
            try Fixture.addition(2),
            in: other,
            parents: [first],
            signer: Fixture.signer(0)
        )
        var receiver = log
        #expect(throws: AccountError.missingParents([first])) { try receiver.insert(child) }
        #expect(receiver.missing(from: other.heads) == [first])
        try receiver.insert(contentsOf: other.entries(notIn: receiver.heads))
        #expect(try receiver.insert(child))
    }

    @Test func `each broken rule has its own error`() throws {
        var log = try Fixture.newLog()
        let foreign = try Fixture.newLog(seed: 9)
        let second = try log.add(try Fixture.addition(1), by: Fixture.signer(0))
        _ = try log.add(try Fixture.addition(2, role: .readOnly), by: Fixture.signer(0))
        let heads = log.heads
        func refuse(_ expected: AccountError, _ bytes: [UInt8]) {
            #expect(throws: expected) { try log.insert(bytes) }
        }
        let add3 = try Fixture.addition(3)
        refuse(.otherAccount, foreign.genesisBytes)
        refuse(
            .otherAccount,
            try Fixture.forge(add3, in: log, parents: heads, signer: Fixture.signer(0), account: foreign.account)
        )
        refuse(.authorNotAdded, try Fixture.forge(add3, in: log, parents: heads, signer: Fixture.signer(5)))
        refuse(.authorNotAdded, try Fixture.forge(add3, in: log, parents: heads, signer: Fixture.signer(2)))
        // Device 1 exists, but not in the past that the entry names.
        refuse(
            .authorNotAdded,
            try Fixture.forge(add3, in: log, parents: [log.genesisHash], signer: Fixture.signer(1))
        )
        refuse(
            .badSignature,
            try Fixture.forge(
                add3,
                in: log,
                parents: heads,
                signer: Fixture.signer(5),
                author: .device(Fixture.device(0))
            )
        )
        refuse(
            .badSignature,
            try Fixture.forge(add3, in: log, parents: heads, signer: .recovery(Fixture.recoveryKeys[1]))
        )
        refuse(
            .parentsNotHeads,
            try Fixture.forge(add3, in: log, parents: heads + [second], signer: Fixture.signer(0))
        )
        refuse(
            .unknownDevice(Fixture.device(7)),
            try Fixture.forge(Fixture.removal(7), in: log, parents: heads, signer: Fixture.signer(0))
        )
        refuse(
            .cutOutsidePast(heads[0]),
            try Fixture.forge(
                Fixture.removal(1, keeping: heads),
                in: log,
                parents: [second],
                signer: Fixture.signer(0)
            )
        )
        refuse(
            .needsRecoveryKey,
            try Fixture.forge(
                .replaceRecoveryKey(Fixture.recoveryKeys[1].publicKey.bytes),
                in: log,
                parents: heads,
                signer: Fixture.signer(0)
            )
        )
        #expect(log.count == 3)
    }

    @Test func `a certificate that its device did not sign is refused`() throws {
        var log = try Fixture.newLog()
        let genuine = try Fixture.certificate(1).signed
        let forged = SignedDeviceCertificate(
            DeviceCertificate(
                device: genuine.certificate.device,
                agreementKey: Fixture.devices[2].agreementKey.publicKey.bytes,
                issued: genuine.certificate.issued,
                name: genuine.certificate.name
            ),
            signature: genuine.signature
        )
        let action = AccountAction.addDevice(certificate: forged.encoded, role: .full, name: "x")
        let entry = try Fixture.forge(action, in: log, parents: log.heads, signer: Fixture.signer(0))
        #expect(throws: AccountError.badCertificate(.badSignature)) { try log.insert(entry) }
    }

    @Test func `a signature made for another purpose is not one for an entry`() throws {
        var log = try Fixture.newLog()
        let entry = AccountEntry(
            account: log.account,
            parents: log.heads,
            author: .device(Fixture.device(0)),
            nonce: Array(repeating: 0, count: 16),
            action: try Fixture.addition(1)
        )
        let signature = Fixture.devices[0].sign(entry.encoded, context: .deviceCertificate)
        #expect(throws: AccountError.badSignature) {
            try log.insert(SignedAccountEntry(entry, signature: signature).encoded)
        }
    }

    @Test func `every flipped bit of an entry is refused or names another past`() throws {
        let log = try Fixture.newLog()
        let entry = try Fixture.forge(try Fixture.addition(1), in: log, parents: log.heads, signer: Fixture.signer(0))
        for index in entry.indices {
            for bit in [UInt8(1), 0x80] {
                var copy = log
                var damaged = entry
                damaged[index] ^= bit
                #expect(throws: AccountError.self) { try copy.insert(damaged) }
                #expect(copy.count == 1)
            }
        }
    }

    @Test func `an entry of a later version's kind is kept and passed on`() throws {
        var log = try Fixture.newLog()
        _ = try log.add(.unknown(tag: 77, bytes: [1, 2, 3]), by: Fixture.signer(0))
        _ = try log.add(try Fixture.addition(1), by: Fixture.signer(0))
        var copy = try AccountLog(genesis: log.genesisBytes)
        try copy.insert(contentsOf: Array(log.entries.dropFirst()))
        #expect(copy.state == log.state && copy.count == 3)
        #expect(copy.standing(1) == .active(.full))
    }

    @Test func `missing entries are sent with parents before children`() throws {
        var log = try Fixture.newLog()
        for index in 1...6 {
            _ = try log.add(
                try Fixture.addition(index),
                by: Fixture.signer(0),
                after: index == 4 ? [log.genesisHash] : nil
            )
        }
        var copy = try AccountLog(genesis: log.genesisBytes)
        #expect(try copy.insert(contentsOf: log.entries(notIn: copy.heads)) == 6)
        #expect(copy.heads == log.heads && copy.entries == log.entries)
        #expect(log.entries(notIn: log.heads).isEmpty)
        #expect(log.entries(notIn: [.zero]).count == 7)
    }
}
