import Identity
import Sodium
import TestSupport
import Testing
import Wire

@testable import Capabilities

@Suite struct AccountDirectoryTests {
    @Test func `accounts' states answer for their devices, and for no others`() throws {
        var generator = SeededGenerator(seed: 7)
        let devices = ControlStory.devices[0]
        let certificates = try devices.map { try $0.certificate(name: "device", issued: 1) }
        var log = try AccountLog.create(
            identity: devices[0],
            certificate: certificates[0],
            recoveryKey: RecoveryKey(RecoveryPhrase(using: &generator)).publicKey,
            name: "first",
            using: &generator
        )
        let signer = AccountSigner.device(devices[0])
        let addition = try log.addingDevice(
            certificates[1],
            role: .readOnly,
            name: "second",
            signer: signer,
            using: &generator
        )
        try log.insert(addition.encoded)
        let before: [AccountID: AccountState] = [log.account: log.state]
        #expect(before.standing(of: devices[0].deviceID, in: log.account) == .active(.full, addedAt: 0))
        #expect(before.standing(of: devices[1].deviceID, in: log.account) == .active(.readOnly, addedAt: 1))
        #expect(before.standing(of: devices[2].deviceID, in: log.account) == .unknownDevice)
        #expect(before.standing(of: devices[0].deviceID, in: ControlStory.accounts[0]) == .unknownAccount)

        let removal = try log.removingDevice(
            devices[1].deviceID,
            witness: devices[0].deviceID,
            signer: signer,
            using: &generator
        )
        try log.insert(removal.encoded)
        let after: [AccountID: AccountState] = [log.account: log.state]
        #expect(after.standing(of: devices[1].deviceID, in: log.account) == .removed(.readOnly, addedAt: 1))
        #expect(after.witnesses(of: devices[1].deviceID, in: log.account) == [devices[0].deviceID])
        #expect(after.isRemoved(devices[1].deviceID, from: log.account))
        #expect(!after.isRemoved(devices[0].deviceID, from: log.account))
    }
}
