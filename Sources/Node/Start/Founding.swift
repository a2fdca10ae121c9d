import Identity
import Sodium
import Sync
import Wire

/// The device's keys and its account, found or made.
struct Founding {
    let keys: DeviceIdentity
    let certificate: VerifiedCertificate
    let log: AccountLog
    let keyring: AccountKeyring

    /// Takes the keys and files that the state directory holds.
    /// - Returns: `nil` when one is missing, which the decision has excluded.
    init?(
        of reading: StateReading,
        files: IdentityFiles,
        envelopes: (any EnvelopeSealing)?,
        deviceName: String,
        clock: NodeClock
    ) throws {
        guard let keys = reading.keys, let accountKeys = reading.accountKeys, let log = reading.log else { return nil }
        self.keys = keys
        certificate = try Self.certificate(of: keys, files, envelopes, deviceName: deviceName, now: clock.wall())
        keyring = accountKeys.keyring
        self.log = log
    }

    /// Makes the missing keys and files; the directory has the note that says so, until the keys were used.
    init(
        making files: IdentityFiles,
        found reading: StateReading,
        envelopes: (any EnvelopeSealing)?,
        deviceName: String,
        clock: NodeClock
    ) throws {
        try files.founding.replace([])
        var random = SystemRandom()
        if let keys = reading.keys {
            self.keys = keys
        } else {
            keys = DeviceIdentity(using: &random)
            try files.deviceKey.replace(KeyFile.encode(keys))
        }
        certificate = try Self.certificate(of: keys, files, envelopes, deviceName: deviceName, now: clock.wall())
        if let accountKeys = reading.accountKeys, let log = reading.log, log.account == accountKeys.account,
            log.state.standing(of: keys.deviceID) != .unknown
        {
            keyring = accountKeys.keyring
            self.log = log
            return
        }
        // The words of an account that is left or lost are still on a person's paper: they are never overwritten.
        let phrase: RecoveryPhrase
        if let kept = try files.recoveryKey.read(KeyFile.recoveryPhrase) {
            phrase = kept
        } else {
            phrase = RecoveryPhrase(using: &random)
            try files.recoveryKey.replace(KeyFile.encode(phrase))
        }
        keyring = AccountKeyring(recovery: RecoveryDoor(phrase), using: &random)
        log = try AccountLog.create(
            identity: keys,
            certificate: certificate,
            recoveryKey: RecoveryKey(phrase).publicKey,
            name: certificate.certificate.name,
            using: &random
        )
        try files.accountKey.replace(KeyFile.encode(keyring, of: log.account))
        // Written last: an account whose log is not on the disk was never made.
        try files.writeAccountEntries(log.storedEntries)
    }

    /// The device's certificate: the one on the disk, if it states the key to which others are to seal now.
    ///
    /// A new one is on the disk before any other device sees it. Its time is later than the old one's, whatever the
    /// clock says.
    private static func certificate(
        of keys: DeviceIdentity,
        _ files: IdentityFiles,
        _ envelopes: (any EnvelopeSealing)?,
        deviceName: String,
        now: UInt64
    ) throws -> VerifiedCertificate {
        let key = try envelopes.map { try keys.encapsulationKey($0) }
        let old = try files.certificate.read().map { try VerifiedCertificate(bytes: $0) }
        if let old {
            guard old.device == keys.deviceID else {
                throw NodeStartError(
                    description: "\(files.certificate.path) is another device's certificate; restore it"
                )
            }
            if key == nil || old.certificate.encapsulationKey == key { return old }
        }
        let certificate = try keys.certificate(
            name: old?.certificate.name ?? fitting(deviceName),
            issued: max(now, old.map { $0.certificate.issued &+ 1 } ?? 0),
            encapsulationKey: key ?? []
        )
        try files.certificate.replace(certificate.signed.encoded)
        return certificate
    }

    private static func fitting(_ name: String) -> String {
        var fitting = name
        while fitting.utf8.count > Limits.deviceNameByteCountMax { fitting.removeLast() }
        return fitting.isEmpty ? "device" : fitting
    }
}
