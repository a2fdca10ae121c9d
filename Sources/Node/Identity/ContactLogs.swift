import Identity
import Logging
import Sodium
import Sync
import Synchronization
import Wire

/// The known logs of other accounts, which name their devices.
///
/// Each log is a file.
///
/// All of it is public among accounts that share a zone: entries are signed, and any device may send them. A lost log
/// is sent again by the next peer.
final class ContactLogs: Sendable {
    /// Accounts that are kept; a zone names a handful, and strangers can make any number of them.
    static let countMax = 1_024

    /// There is no room for another account.
    struct Full: Error, CustomStringConvertible {
        let description = "logs of \(ContactLogs.countMax) other accounts are kept already"
    }

    private let files: IdentityFiles
    private let logs: Mutex<[AccountID: AccountLog]>
    /// Held while a log is changed and written; taken before `logs`, never behind it.
    private let changes = Mutex<Void>(())

    /// Reads the files of an earlier run; a damaged file is passed over, since peers have it whole.
    init(files: IdentityFiles, logger: Logger) throws(PrivateFile.Failure) {
        self.files = files
        var logs: [AccountID: AccountLog] = [:]
        for account in try files.contacts() {
            do {
                let entries = try files.readContactEntries(of: account)
                guard !entries.isEmpty else { continue }
                let log = try AccountLog(stored: entries)
                logs[account] = log.account == account ? log : nil
            } catch {
                logger.warning(
                    "an account's log cannot be read; it is requested again",
                    metadata: ["account.id": "\(account.shortText)", "error": "\(error)"]
                )
            }
        }
        self.logs = Mutex(logs)
    }

    /// The logs by account.
    var all: [AccountID: AccountLog] { logs.withLock { $0 } }
    /// The states that the logs lead to.
    var states: [AccountID: AccountState] { all.mapValues(\.state) }

    /// The log of an account.
    subscript(_ account: AccountID) -> AccountLog? { logs.withLock { $0[account] } }

    /// Returns an account's log merged with these entries; nothing is stored.
    /// - Parameters:
    ///   - entries: Parents first; of an account that is not known the first one is the genesis.
    ///   - account: The account.
    /// - Returns: The log.
    /// - Throws: `AccountError` for a bad entry.
    func merged(_ entries: [[UInt8]], of account: AccountID) throws(AccountError) -> AccountLog {
        guard var log = self[account] else { return try AccountLog(of: account, entries: entries) }
        try log.insert(contentsOf: entries)
        return log
    }

    /// Takes entries of an account's log; durable when it returns.
    /// - Parameters:
    ///   - entries: Parents first; of an account that is not known the first one is the genesis.
    ///   - account: The account.
    /// - Returns: Whether any was new.
    /// - Throws: `AccountError` for a bad entry (those before it stay), ``Full``, `PrivateFile.Failure`.
    func insert(_ entries: [[UInt8]], of account: AccountID) throws -> Bool {
        try changes.withLock { _ in
            var rest = entries[...]
            let before = self[account]
            var log: AccountLog
            if let before {
                log = before
            } else {
                guard let genesis = rest.popFirst() else { return false }
                guard all.count < Self.countMax else { throw Full() }
                log = try AccountLog(genesis: genesis)
                guard log.account == account else { throw AccountError.otherAccount }
            }
            let outcome = Result { try log.insert(contentsOf: Array(rest)) }
            // A bad entry does not undo the good ones before it, whose children may arrive any time.
            let grew = log.revision != before?.revision
            if grew {
                try files.writeContactEntries(log.storedEntries, of: account)
                logs.withLock { [log] in $0[account] = log }
            }
            _ = try outcome.get()
            return grew
        }
    }
}
