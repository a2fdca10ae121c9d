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

    /// Makes the grants that wait for this device, and reads the facts of the account's book.
    func readBook() {
        guard simulation.hasSeveralAccounts else { return }
        var facts = BookFacts()
        enqueue(
            CommitJob { process, transaction in
                let read = try BookFacts.settled(
                    by: process.committer(),
                    random: &process.node.random,
                    in: &transaction
                )
                facts = read.reply
                return read.notice
            } completion: { [unowned self] result in
                if case .success = result { try step { $0.bookRead(facts, in: &$1) } }
            }
        )
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
