import Identity
import Peering
import Sodium
import Sync
import TestSupport
import Testing
import Wire

/// A device with its account, in memory.
final class MemoryAccount: PeerAccount {
    struct DiskFull: Error {}

    let keys: DeviceIdentity
    let certificate: VerifiedCertificate
    var log: AccountLog
    var keyring: AccountKeyring
    let words: RecoveryKey
    var kept: [EnrolmentBook] = []
    var isFull = false
    var random: SeededGenerator

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        keys = DeviceIdentity(using: &random)
        certificate = try keys.certificate(name: "device-\(seed)", issued: 1, encapsulationKey: [])
        words = RecoveryKey(RecoveryPhrase(using: &random))
        keyring = AccountKeyring(recovery: words.door, using: &random)
        log = try AccountLog.create(
            identity: keys,
            certificate: certificate,
            recoveryKey: words.publicKey,
            name: "device-\(seed)",
            using: &random
        )
    }

    var accountState: AccountState { log.state }

    func add(_ certificate: VerifiedCertificate, role: DeviceRole) throws {
        if isFull { throw DiskFull() }
        if case .active = log.state.standing(of: certificate.device) { return }
        let entry = try log.addingDevice(certificate, role: role, name: "new", signer: .device(keys), using: &random)
        _ = try log.insert(entry.encoded)
    }

    func recover(_ certificate: VerifiedCertificate, with entry: [UInt8]) throws {
        try log.recover(certificate, with: entry)
    }

    func keep(_ enrolments: EnrolmentBook) throws {
        if isFull { throw DiskFull() }
        kept.append(enrolments)
    }

    func welcome() -> PairWelcome { PairWelcome(secrets: keyring.export(), entries: log.entries) }

    func replaceAccount(log: AccountLog, keyring: AccountKeyring) throws {
        if isFull { throw DiskFull() }
        (self.log, self.keyring) = (log, keyring)
    }

    /// Adds an entry of a later version's kind to the log, which may be long.
    func note(byteCount: Int, after parents: [Hash]? = nil) throws {
        let entry = AccountEntry(
            account: log.account,
            parents: parents ?? log.announcedHeads,
            author: .device(keys.deviceID),
            nonce: random.bytes(AccountEntry.nonceByteCount),
            action: .unknown(tag: 99, bytes: random.bytes(byteCount))
        )
        let signature = keys.sign(entry.encoded, context: .accountEntry)
        #expect(try log.insert(SignedAccountEntry(entry, signature: signature).encoded))
    }

    var payload: HandshakePayload {
        HandshakePayload(
            certificate: certificate.signed.encoded,
            account: log.account,
            accountHeads: log.announcedHeads,
            boot: [UInt8](repeating: 0, count: HandshakePayload.bootByteCount),
            wallMilliseconds: 1,
            listenPort: 1
        )
    }

    // MARK: Peers

    /// The logs of other accounts.
    var contactLogs: [AccountID: AccountLog] = [:]
    /// The secrets that other devices have sent.
    var offeredSecrets: [RecoverySecret] = []

    var fleetKeys: FleetChannelKeys { FleetChannelKeys(keyring, log.state.fleet) }
    var canReplaceKeys: Bool { false }
    var recoverySecret: RecoverySecret? { nil }

    func insert(_ entries: [[UInt8]], of account: AccountID) throws(EntriesFault) {
        if isFull { throw .notWritten(DiskFull()) }
        do {
            if account == log.account {
                _ = try log.insert(contentsOf: entries)
            } else {
                contactLogs[account] = try merged(entries, of: account)
            }
        } catch let error as AccountError {
            throw EntriesFault(error)
        } catch {
            throw .invalid(error)
        }
    }

    func merged(_ entries: [[UInt8]], of account: AccountID) throws -> AccountLog {
        guard var known = contactLogs[account] else { return try AccountLog(of: account, entries: entries) }
        _ = try known.insert(contentsOf: entries)
        return known
    }

    func enter(_: VerifiedCertificate) throws -> Bool { false }
    func derives(_: ZoneTerms) -> Bool { false }
    func offer(_ secret: RecoverySecret) { offeredSecrets.append(secret) }
    func offer(_: FleetSecret) {}
    func keepOfferedDoor() throws { if isFull { throw DiskFull() } }
    func updateFleetKeys() throws {}
    func countRetiredDays() throws {}
    func replaceFleetKey() throws -> Bool { false }
}
