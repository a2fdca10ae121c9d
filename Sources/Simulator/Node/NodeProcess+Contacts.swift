import Identity
import Sync
import Wire

// The logs of other accounts.
extension NodeProcess {
    /// The log of an account, if it is known.
    func log(of account: AccountID) -> AccountLog? {
        account == log.account ? log : contacts[account]
    }

    /// Takes entries of another account's log.
    func insertContactEntries(_ entries: [[UInt8]], of account: AccountID) throws {
        var rest = entries[...]
        guard var contact = try contacts[account] ?? rest.popFirst().map({ try AccountLog(genesis: $0) }) else {
            return
        }
        guard contact.account == account else { throw AccountError.notGenesis }
        defer { contacts[account] = contact }
        _ = try contact.insert(contentsOf: Array(rest))
    }

    /// After any change of another account's log: cuts take effect in the store, sessions of removed devices end.
    func contactChanged(_ account: AccountID, into effects: inout [SyncEffect]) {
        guard let contact = contacts[account] else { return }
        let standings = Standing.all(in: contact.state)
        for (device, standing) in standings.sorted(by: { $0.key < $1.key }) where standing == .removed {
            directory.forget(device)
        }
        directory.forgetRefusals()
        enqueueCuts()
        handle(.contactChanged(account, heads: contact.announcedHeads, standings: standings), into: &effects)
        directoryChanged()
    }
}
