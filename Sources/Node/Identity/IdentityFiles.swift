import Glibc
import Identity
import Wire

/// The small files with this device's identity, beside the store and outside any backup of records.
///
/// | file | holds | lost means |
/// |---|---|---|
/// | `keys/device.key` | the device's private keys | another device |
/// | `keys/device.certificate` | its certificate | made again |
/// | `keys/account.key` | the secrets that all devices of the account share | pair again |
/// | `keys/account.log` | the account's signed entries | pair again |
/// | `keys/recovery.key` | the recovery words, on the device that made the account | the words on paper stay valid |
/// | `keys/enrolments` | the enrolment tokens that this device has given out | no token lets any machine in |
/// | `keys/joins` | the opened invitations without a final answer | opened again |
/// | `relay.key` | the secret of the relay's identity for its users | they need new links |
/// | `store.key` | the key of the secrets that lie in the store | the store cannot be used |
/// | `seal` | the key of the files with secrets, locked | these files cannot be used |
/// | `contacts/ACCOUNT.log` | the signed entries of another account | sent again by peers |
/// | `sentinel` | the store's incarnation and its newest commit | a new incarnation |
/// | `keys/founding` | nothing: keys and account are being made | |
/// | `keys/account.log.joining` | the log of an account that is being entered | the old account stays |
/// | `recovering` | nothing: the lost content has not come back yet | |
/// | `loss-accepted` | nothing: a person goes on without the lost content | |
///
/// One of them missing beside the others is damage; ``Identity/StartDecision`` decides what to do then.
///
/// The files that hold a secret are ``SecretFile``s. The seal and the store's key lie outside of `keys`, which people
/// move away when a removed device is to begin again with the records that it has.
struct IdentityFiles: Sendable {
    /// The state directory.
    let directory: String
    /// The key that seals the files with secrets; `nil` = they are in the clear.
    var sealingKey: SealingKey?
    /// The identity of the directory when the node started; later writes go to that directory or fail.
    var place: FileIdentity?

    init(directory: String, sealingKey: SealingKey? = nil) {
        self.directory = directory
        self.sealingKey = sealingKey
    }

    var deviceKey: SecretFile { secret("keys/device.key", .device) }
    var certificate: PrivateFile { file("keys/device.certificate") }
    var accountKey: SecretFile { secret("keys/account.key", .account) }
    var accountLog: PrivateFile { file("keys/account.log") }
    var recoveryKey: SecretFile { secret("keys/recovery.key", .recovery) }
    var enrolments: SecretFile { secret("keys/enrolments", .enrolments) }
    var joins: SecretFile { secret("keys/joins", .joins) }
    var storeKey: SecretFile { secret("store.key", .store) }
    var relayKey: SecretFile { secret("relay.key", .relay) }
    var seal: PrivateFile { file("seal") }
    var sentinel: PrivateFile { file("sentinel") }
    var founding: PrivateFile { file("keys/founding") }
    var joiningLog: PrivateFile { file("keys/account.log.joining") }
    var recovering: PrivateFile { file("recovering") }
    var lossAccepted: PrivateFile { file("loss-accepted") }

    /// All files with secrets; the device's key file last, because the sentinel records the marks of that file.
    var secrets: [SecretFile] { [accountKey, recoveryKey, enrolments, joins, storeKey, relayKey, deviceKey] }

    /// The largest account log: as many bytes of entries as a log takes, and their lengths.
    private static let accountLogByteCountMax = AccountLog.byteCountMax + 16 * AccountLog.entryCountMax

    /// Makes the directories with mode 0700 that are missing.
    func prepare() throws(PrivateFile.Failure) {
        for path in [directory + "/keys", contactDirectory] {
            if mkdir(path, 0o700) == 0 {
                // The keys must not be durable in a directory that is not.
                try PrivateFile(path: path).syncDirectory()
            } else if errno != EEXIST {
                throw PrivateFile.Failure(path: path, operation: "create", errorNumber: errno)
            }
        }
    }

    /// Whether anything is there, beside the files of ``Identity/StateFacts``, that only a device which was started before has.
    func hasTraces() throws(PrivateFile.Failure) -> Bool {
        let files = [certificate, recoveryKey.file, enrolments.file, joins.file, relayKey.file]
        for file in files where try file.exists() { return true }
        return try !contacts().isEmpty
    }

    /// Becomes a device of another account, as one step: a start that finds it half done finishes it, or undoes it.
    /// - Throws: `PrivateFile.Failure`; the old account then stays.
    func replaceAccount(_ log: AccountLog, _ keyring: AccountKeyring) throws(PrivateFile.Failure) {
        try checkPlace()
        try joiningLog.replace(AccountEntryList(entries: log.storedEntries).encoded)
        // From here on the new account is in force: its name is in this file.
        try accountKey.replace(KeyFile.encode(keyring, of: log.account))
        try finishJoining()
    }

    /// Puts the log of the account that is being entered in its place.
    func finishJoining() throws(PrivateFile.Failure) {
        guard let bytes = try joiningLog.read(limit: Self.accountLogByteCountMax) else { return }
        try accountLog.replace(bytes)
        try joiningLog.remove()
    }

    private func checkPlace() throws(PrivateFile.Failure) {
        guard let place, !place.isThere else { return }
        throw PrivateFile.Failure(path: directory, operation: "use", errorNumber: ESTALE)
    }

    /// The account's entries as stored.
    /// - Returns: Empty when there is no file.
    /// - Throws: `PrivateFile.Failure`, `WireError` for a damaged file.
    func readAccountEntries() throws -> [[UInt8]] { try entries(accountLog) }

    /// The entries of the account that is being entered; empty when none is.
    func readJoiningEntries() throws -> [[UInt8]] { try entries(joiningLog) }

    private func entries(_ file: PrivateFile) throws -> [[UInt8]] {
        guard let bytes = try file.read(limit: Self.accountLogByteCountMax) else { return [] }
        return try AccountEntryList(decoding: bytes).entries
    }

    /// Replaces the account's entries, durably.
    func writeAccountEntries(_ entries: [[UInt8]]) throws(PrivateFile.Failure) {
        try checkPlace()
        try accountLog.replace(AccountEntryList(entries: entries).encoded)
    }

    // MARK: Other accounts

    private var contactDirectory: String { directory + "/contacts" }
    private static let contactSuffix = ".log"

    /// The accounts of which entries are stored, ascending.
    func contacts() throws(PrivateFile.Failure) -> [AccountID] {
        try PrivateFile.names(in: contactDirectory).compactMap { name in
            guard name.hasSuffix(Self.contactSuffix) else { return nil }
            return AccountID(text: String(name.dropLast(Self.contactSuffix.count)))
        }.sorted()
    }

    /// Another account's entries as stored; empty when there is no file.
    func readContactEntries(of account: AccountID) throws -> [[UInt8]] {
        guard let bytes = try contactLog(account).read(limit: Self.accountLogByteCountMax) else { return [] }
        return try AccountEntryList(decoding: bytes).entries
    }

    /// Replaces another account's entries, durably.
    func writeContactEntries(_ entries: [[UInt8]], of account: AccountID) throws(PrivateFile.Failure) {
        try checkPlace()
        try contactLog(account).replace(AccountEntryList(entries: entries).encoded)
    }

    private func contactLog(_ account: AccountID) -> PrivateFile {
        file("contacts/" + account.text + Self.contactSuffix)
    }

    private func secret(_ name: String, _ content: SealingKey.Content) -> SecretFile {
        SecretFile(file: file(name), content: content, seal: sealingKey)
    }

    private func file(_ name: String) -> PrivateFile {
        PrivateFile(path: directory + "/" + name)
    }
}

/// The content of `keys/account.log` and of the contacts' logs: the signed entries as they were received, parents before children.
struct AccountEntryList: WireCodable {
    /// The entries' bytes.
    var entries: [[UInt8]]

    init(entries: [[UInt8]]) {
        self.entries = entries
    }

    func encode(into writer: inout WireWriter) {
        writer.writeByte(1)
        writer.writeCount(entries.count)
        for entry in entries { writer.writeBytes(entry) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard try reader.readByte() == 1 else { throw .invalidValue("account log format") }
        let count = try reader.readCount(maximum: Limits.accountEntryCountMax, itemByteCountMin: 1)
        entries = []
        for _ in 0..<count { entries.append(try reader.readBytes(maximum: Limits.accountEntryByteCountMax)) }
    }
}
