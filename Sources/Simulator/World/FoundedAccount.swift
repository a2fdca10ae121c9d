package import Identity
import Sodium
package import Wire

/// An account as its devices made it before the history begins: real keys, real certificates, real signatures.
package final class FoundedAccount {
    /// A device's keys and its certificate.
    package struct Device {
        /// The keys.
        package let keys: DeviceIdentity
        /// The certificate.
        package let certificate: VerifiedCertificate

        /// Makes a device.
        /// - Parameters:
        ///   - name: Its name for people.
        ///   - isSealed: Whether it states a key to which others can seal.
        ///   - random: The source of the keys.
        /// - Throws: `CertificateError` for an invalid name.
        package init(name: String, isSealed: Bool, random: inout SeededGenerator) throws {
            keys = DeviceIdentity(using: &random)
            certificate = try keys.certificate(
                name: name,
                issued: Simulation.wallStart,
                encapsulationKey: isSealed ? StandInEnvelopes().encapsulationKey(seed: keys.encapsulationSeed()) : []
            )
        }
    }

    /// A device with its knowledge of the account.
    package struct Member {
        /// The device.
        package let device: Device
        /// The account log that it holds when the history begins.
        package var log: AccountLog
        /// Whether it is a relay that stores operations without being able to read them.
        package let isRelay: Bool
    }

    /// The account's id.
    package let id: AccountID
    /// The secrets that all devices share.
    package let keyring: AccountKeyring
    /// The key that outranks every device.
    package let recoveryKey: RecoveryKey
    /// The devices, by the index of their machine.
    package let members: [Member]

    /// Makes an account.
    ///
    /// An existing device lets each new one in, as far as the existing one knows the account, so that the log has
    /// branches; with partial logs some devices know only as much as the device that let them in.
    ///
    /// - Parameters:
    ///   - deviceCount: The number of devices; at least one.
    ///   - hasPartialLogs: Whether some devices know only a part of the log.
    ///   - statesPairKey: Whether the log states the key from which zones with other accounts are derived.
    ///   - isSealed: Whether its devices state keys to which others can seal.
    ///   - hasWords: Whether its devices answer a joining device that has the recovery words.
    ///   - relayCount: The number of relays among the devices, the last ones; not all.
    ///   - random: The source of randomness.
    /// - Throws: `AccountError`, `CertificateError`; never in fact.
    init(
        deviceCount: Int,
        hasPartialLogs: Bool,
        statesPairKey: Bool = false,
        isSealed: Bool = false,
        hasWords: Bool = false,
        relayCount: Int = 0,
        random: inout SeededGenerator
    ) throws {
        let secrets = AccountKeyring(using: &random)
        recoveryKey = RecoveryKey(RecoveryPhrase(using: &random))
        keyring = hasWords ? secrets.answering(recoveryKey.door) : secrets
        let first = try Device(name: "device-0", isSealed: isSealed, random: &random)
        let genesis = try AccountLog.create(
            identity: first.keys,
            certificate: first.certificate,
            recoveryKey: recoveryKey.publicKey,
            name: "device-0",
            using: &random
        )
        id = genesis.account
        var members = [Member(device: first, log: genesis, isRelay: false)]
        if statesPairKey {
            let key = try keyring.pairKey().publicKey
            let entry = try members[0].log.statingPairKey(key, by: first.keys, using: &random)
            if let entry { _ = try members[0].log.insert(entry.encoded) }
        }
        for index in 1..<max(deviceCount, 1) {
            let device = try Device(name: "device-\(index)", isSealed: isSealed, random: &random)
            let isRelay = index >= deviceCount - relayCount
            let host = random.index(below: members.count { !$0.isRelay })
            let entry = try members[host].log.addingDevice(
                device.certificate,
                role: isRelay ? .relayOnly : .full,
                name: "device-\(index)",
                signer: .device(members[host].device.keys),
                using: &random
            )
            _ = try members[host].log.insert(entry.encoded)
            members.append(Member(device: device, log: members[host].log, isRelay: isRelay))
            let all = members[host].log.entries
            for other in members.indices where !hasPartialLogs || random.chance(0.3) {
                _ = try members[other].log.insert(contentsOf: all)
            }
        }
        self.members = members
    }
}

/// The account log as a node keeps it in a file.
enum AccountFile {
    static func encode(_ entries: [[UInt8]]) -> [UInt8] {
        var writer = WireWriter()
        writer.writeCount(entries.count)
        for entry in entries { writer.writeBytes(entry) }
        return writer.bytes
    }

    /// Reads a file.
    /// - Throws: `WireError` for a damaged file, `AccountError` for entries that make no log.
    static func decode(_ bytes: [UInt8]) throws -> AccountLog {
        var reader = WireReader(bytes)
        let count = try reader.readCount(maximum: Limits.accountEntryCountMax, itemByteCountMin: 1)
        var entries: [[UInt8]] = []
        for _ in 0..<count { entries.append(try reader.readBytes(maximum: Limits.accountEntryByteCountMax)) }
        return try AccountLog(stored: entries)
    }
}
