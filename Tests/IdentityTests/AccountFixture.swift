import Sodium
import TestSupport
import Testing
import Wire

@testable import Identity

/// Devices and a recovery key that are the same in each run, and entries made past the rules that authors keep.
enum AccountFixture {
    static let devices: [DeviceIdentity] = {
        var generator = SeededGenerator(seed: 0xDE71CE)
        return (0..<24).map { _ in DeviceIdentity(using: &generator) }
    }()

    static let recoveryKeys: [RecoveryKey] = {
        var generator = SeededGenerator(seed: 0x2EC0)
        return (0..<6).map { _ in RecoveryKey(RecoveryPhrase(using: &generator)) }
    }()

    static func certificate(_ index: Int) throws -> VerifiedCertificate {
        try devices[index].certificate(name: "device-\(index)", issued: 1_700_000_000_000)
    }

    static func device(_ index: Int) -> DeviceID { devices[index].deviceID }

    static func signer(_ index: Int) -> AccountSigner { .device(devices[index]) }

    /// An account whose first device is device 0 and whose recovery key is key 0.
    static func newLog(seed: UInt64 = 1) throws -> AccountLog {
        var generator = SeededGenerator(seed: seed)
        return try AccountLog.create(
            identity: devices[0],
            certificate: try certificate(0),
            recoveryKey: recoveryKeys[0].publicKey,
            name: "device-0",
            using: &generator
        )
    }

    /// Signs an entry without checking that it makes sense, as a hostile or outdated author could.
    static func forge(
        _ action: AccountAction,
        in log: AccountLog,
        parents: [Hash],
        signer: AccountSigner,
        author: AccountAuthor? = nil,
        account: AccountID? = nil,
        nonce: UInt8 = 0
    ) throws -> [UInt8] {
        let entry = AccountEntry(
            account: account ?? log.account,
            parents: parents,
            author: author ?? signer.author,
            nonce: Array(repeating: nonce, count: 16),
            action: action
        )
        return try signer.sign(entry).encoded
    }

    static func addition(_ index: Int, role: DeviceRole = .full) throws -> AccountAction {
        .addDevice(certificate: try certificate(index).signed.encoded, role: role, name: "device-\(index)")
    }

    static func removal(_ index: Int, keeping heads: [Hash] = []) -> AccountAction {
        .removeDevice(DeviceRemoval(of: device(index), keeping: heads, witness: nil))
    }
}

extension AccountLog {
    /// Adds a forged entry and returns its name.
    mutating func add(
        _ action: AccountAction,
        by signer: AccountSigner,
        after parents: [Hash]? = nil,
        nonce: UInt8 = 0
    ) throws -> Hash {
        let bytes = try AccountFixture.forge(action, in: self, parents: parents ?? tips, signer: signer, nonce: nonce)
        #expect(try insert(bytes))
        return try UnverifiedAccountEntry(bytes).hash
    }

    /// The entries that no other one names as a parent, whether they are effective or not.
    var tips: [Hash] {
        let named = Set(nodes.flatMap(\.entry.parents))
        return nodes.map(\.hash).filter { !named.contains($0) }.sorted()
    }

    /// The names of the effective entries.
    var countingHashes: Set<Hash> {
        Set(nodes.indices.filter { counting[$0] }.map { nodes[$0].hash })
    }

    var genesisHash: Hash { entryHashes[0] }

    var entryHashes: [Hash] {
        nodes.sorted { $0.place < $1.place }.map(\.hash)
    }

    func standing(_ index: Int) -> AccountState.Standing {
        state.standing(of: AccountFixture.device(index))
    }
}
