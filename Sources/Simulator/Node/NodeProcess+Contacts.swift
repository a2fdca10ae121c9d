import Identity
import Peering
import Sync
import Wire

// The logs of other accounts.
extension NodeProcess {
    /// The log of an account, if it is known.
    func log(of account: AccountID) -> AccountLog? {
        account == log.account ? log : contacts[account]
    }

    /// Takes in entries of another account's log, and keeps them only once they are on the disk.
    ///
    /// A bad entry does not undo the good ones before it, whose children may arrive any time.
    func insertContactEntries(_ entries: [[UInt8]], of account: AccountID) throws {
        var rest = entries[...]
        let before = contacts[account]
        guard var contact = try before ?? rest.popFirst().map({ try AccountLog(genesis: $0) }) else { return }
        guard contact.account == account else { throw AccountError.notGenesis }
        let outcome = Result { try contact.insert(contentsOf: Array(rest)) }
        if contact.revision != before?.revision {
            var changed = contacts
            changed[account] = contact
            try node.disk.writeDurably(ContactsFile.encode(changed), to: .contacts)
            contacts = changed
            simulation.trace.note(.account, at: simulation.now, node: node.index, UInt64(contact.count))
        }
        _ = try outcome.get()
    }

    /// The log of an account as it is known here, with additional entries that a peer sent.
    func merged(_ entries: [[UInt8]], of account: AccountID) throws -> AccountLog {
        guard var known = contacts[account] else { return try AccountLog(of: account, entries: entries) }
        _ = try known.insert(contentsOf: entries)
        return known
    }

    /// Handles a change of another account's log: cuts take effect in the store, sessions of removed devices end.
    func contactChanged(_ account: AccountID, into effects: inout [SyncEffect]) throws {
        guard let contact = contacts[account] else { return }
        let standings = Standing.all(in: contact.state)
        sessions.logChanged(standings, of: account, routes: routes)
        enqueueCuts()
        handle(.contactChanged(account, heads: contact.announcedHeads, standings: standings), into: &effects)
        try rememberMembers(into: &effects)
        // A pending grant may wait for this account's log.
        bookChanged()
        directoryChanged()
    }

    /// Makes the grants that wait for this device, and reads the blocked accounts.
    func bookChanged() {
        guard simulation.hasSeveralAccounts else { return }
        var blocked: Set<AccountID> = []
        var claims: [UseClaim] = []
        var awaitsLogs = false
        enqueue(
            CommitJob { process, transaction in
                let committer = process.committer()
                let settled = try Redemptions(committer).settle(random: &process.node.random, in: &transaction)
                claims = settled.claims
                awaitsLogs = settled.awaitsLogs
                blocked = Set(try Blocklist(committer).all(transaction).map(\.account))
                return settled.notice
            } completion: { [unowned self] result in
                guard case .success = result else { return }
                self.awaitsLogs = awaitsLogs
                for claim in claims { try feedMail(.claim(claim, isAwaited: false)) }
                try take(blocked)
            }
        )
    }

    private func take(_ blocked: Set<AccountID>) throws {
        let new = blocked.subtracting(self.blocked)
        // An account whose block has ended was refused until now.
        if !self.blocked.isSubset(of: blocked) {
            sessions.directory.forgetRefusals()
            directoryChanged()
        }
        self.blocked = blocked
        var effects: [SyncEffect] = []
        for (id, link) in links.sorted(by: { $0.key < $1.key }) where new.contains(link.account) {
            try close(id, .refused, into: &effects)
        }
        try perform(&effects)
    }
}

/// The logs of other accounts as a node keeps them.
enum ContactsFile {
    static func encode(_ contacts: [AccountID: AccountLog]) -> [UInt8] {
        var writer = WireWriter()
        writer.writeCount(contacts.count)
        for (_, log) in contacts.sorted(by: { $0.key < $1.key }) {
            writer.writeBytes(AccountFile.encode(log.storedEntries))
        }
        return writer.bytes
    }

    /// Reads the file; unreadable parts are skipped, since peers have them.
    static func decode(_ bytes: [UInt8]) -> [AccountID: AccountLog] {
        var reader = WireReader(bytes)
        var contacts: [AccountID: AccountLog] = [:]
        // A missing file is empty.
        guard let count = try? reader.readCount(maximum: 1_024, itemByteCountMin: 1) else { return [:] }
        for _ in 0..<count {
            // Nothing after a damaged part can be found.
            guard let part = try? reader.readBytes(maximum: 1 << 20), let log = try? AccountFile.decode(part) else {
                break
            }
            contacts[log.account] = log
        }
        return contacts
    }
}
