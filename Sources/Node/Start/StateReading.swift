import Identity
import Sync
import Wire

/// A state directory as a start finds it: the facts for the decision, and the values that were read.
struct StateReading {
    /// The facts for the decision.
    let facts: StateFacts
    let keys: DeviceIdentity?
    let accountKeys: KeyFile.AccountKeys?
    let log: AccountLog?
    /// `nil` = there is none.
    let storeKey: StoreKey?
    /// The entry that the sentinel names and the log lacks.
    let missingEntry: Sentinel.NewestEntry?

    /// Reads a state directory, and finishes or undoes the entering of an account that a crash left half done.
    /// - Parameters:
    ///   - files: The directory's files; its `keys` need not be there.
    ///   - store: The store as it was found.
    ///   - machine: The bytes that distinguish this machine from others.
    /// - Throws: `SecretFile.Failure` for a file that is sealed or of another format, `PrivateFile.Failure`.
    init(_ files: IdentityFiles, store: IncarnationDecision.StoreState, machine: [UInt8]) throws {
        let (devicePart, keys) = try Self.read(files.deviceKey, KeyFile.device)
        let (accountPart, accountKeys) = try Self.read(files.accountKey, KeyFile.accountKeys)
        let (storePart, storeKey) = try Self.read(files.storeKey) { bytes throws(KeyFileError) in
            StoreKey(try KeyFile.storeKey(from: bytes))
        }
        if let accountKeys { try Self.finishInterruptedJoining(files, account: accountKeys.account) }
        let (logPart, log) = try Self.readLog(files)
        let sentinel = IncarnationDecision.SentinelState(bytes: try files.sentinel.read())
        var notes: StateFacts.Notes = []
        if try files.founding.exists() { notes.insert(.founding) }
        if try files.lossAccepted.exists() { notes.insert(.lossAccepted) }
        if try files.recovering.exists() { notes.insert(.recovering) }
        facts = StateFacts(
            deviceKey: devicePart,
            accountKey: accountPart,
            accountLog: logPart,
            agreement: Self.agreement(keys, accountKeys, log, sentinel),
            hasTraces: try files.hasTraces(),
            storeKey: storePart,
            store: store,
            sentinel: sentinel,
            machine: machine,
            canFetch: Self.canFetch(keys, log),
            notes: notes
        )
        self.keys = keys
        self.accountKeys = accountKeys
        self.log = log
        self.storeKey = storeKey
        if case .present(let found) = sentinel, let log, let newest = found.newestEntry, newest.isMissing(in: log) {
            missingEntry = newest
        } else {
            missingEntry = nil
        }
    }

    /// A crash while an account was being entered leaves the log of the new one beside: it is used once the secrets
    /// are those of the new account.
    private static func finishInterruptedJoining(_ files: IdentityFiles, account: AccountID) throws {
        guard try files.joiningLog.exists() else { return }
        // A log that cannot be read was not written completely, and the secrets are written after it.
        let genesis = (try? files.readJoiningEntries())?.first
        if let genesis, let log = try? AccountLog(genesis: genesis), log.account == account {
            try files.finishJoining()
        } else {
            try files.joiningLog.remove()
        }
    }

    private static func read<Value>(
        _ file: SecretFile,
        _ decode: ([UInt8]) throws(KeyFileError) -> Value
    ) throws -> (StateFacts.Part, Value?) {
        do {
            guard let value = try file.read(decode) else { return (.missing, nil) }
            return (.present, value)
        } catch let failure as SecretFile.Failure where failure.reason == .damaged {
            return (.damaged, nil)
        }
    }

    private static func readLog(_ files: IdentityFiles) throws -> (StateFacts.Part, AccountLog?) {
        guard try files.accountLog.exists() else { return (.missing, nil) }
        do {
            let entries = try files.readAccountEntries()
            return (.present, try AccountLog(stored: entries))
        } catch let failure as PrivateFile.Failure {
            throw failure
        } catch {
            return (.damaged, nil)
        }
    }

    private static func agreement(
        _ keys: DeviceIdentity?,
        _ accountKeys: KeyFile.AccountKeys?,
        _ log: AccountLog?,
        _ sentinel: IncarnationDecision.SentinelState
    ) -> StateFacts.Agreement {
        guard let keys, let accountKeys, let log else { return .whole }
        guard accountKeys.account == log.account else { return .otherAccount }
        guard log.state.standing(of: keys.deviceID) != .unknown else { return .otherDevice }
        guard case .present(let found) = sentinel, let newest = found.newestEntry else { return .whole }
        return newest.isMissing(in: log) ? .older : .whole
    }

    private static func canFetch(_ keys: DeviceIdentity?, _ log: AccountLog?) -> Bool {
        guard let keys, let log, case .active = log.state.standing(of: keys.deviceID) else { return false }
        return log.state.activeDevices.count > 1
    }
}
