import Capabilities
import Identity
import Records
package import Wire

// The account's book: an internal zone that only the account's devices hold, with the account's notes about other
// accounts.
extension Committer {
    /// The genesis of the book, from which its id follows; every device of the account derives the same one.
    package var bookGenesis: ZoneGenesis {
        keyring.defaultZoneGenesis(
            container: ZoneGenesis.internalContainerPrefix + "account",
            name: "book",
            owner: account.account
        )
    }

    /// Finds the account's book, or begins it.
    /// - Parameter transaction: The store.
    /// - Returns: The book's zone, and the notice; without a number when it was there.
    /// - Throws: `CommitError.refused` for a device that may not write, `ReplicaError`, or an error of the store.
    package func book(
        in transaction: inout some NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let genesis = bookGenesis
        let zone = ZoneID(genesis)
        guard mayWrite else { throw CommitError.refused(.deviceRole) }
        if try transaction.zone(zone) != nil { return (zone, CommitNotice()) }
        return try createZone(genesis, in: &transaction)
    }

    /// Writes into the book, all or nothing.
    /// - Throws: ``InviteError/notWritten(record:_:)``, ``CommitError``, `ReplicaError`, or an error of the store.
    func note(
        _ writes: [RecordWrite],
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var (zone, notice) = try book(in: &transaction)
        let (commit, written) = try commit([WriteRequest(writes)], zone: zone, in: &transaction)
        for (write, result) in zip(writes, commit.results.first ?? []) {
            guard case .failure(let refusal) = result else { continue }
            // The others of the batch only name the one that was refused for itself.
            if case .batchRefused = refusal { continue }
            throw InviteError.notWritten(record: write.name, refusal)
        }
        notice.merge(written)
        return notice
    }

    /// An entry of the book.
    /// - Returns: Nil when there is none that can be read.
    func entry<Entry: BookEntry>(_ name: String, in transaction: some NodeTransaction) throws -> Entry? {
        let zone = ZoneID(bookGenesis)
        guard let book = try transaction.zone(zone), !book.isDeleted else { return nil }
        let tag = try Replica.tag(of: name, zone: zone, in: transaction)
        guard let row = try transaction.record(zone: zone, tag: tag), !row.isDeleted, row.type == Entry.type else {
            return nil
        }
        return Entry(try row.content())
    }

    /// Returns all entries whose names have the prefix, ascending by name; unreadable records are left out.
    func entries<Entry: BookEntry>(
        _ prefix: String = Entry.prefix,
        in transaction: some NodeTransaction
    ) throws -> [Entry] {
        let zone = ZoneID(bookGenesis)
        guard let book = try transaction.zone(zone), !book.isDeleted else { return [] }
        var found: [Entry] = []
        // Names are in the order of their bytes, and a prefix comes before all that it begins.
        var last = prefix
        while true {
            let page = try transaction.records(zone: zone, after: last, limit: 1_000)
            for row in page.records {
                guard row.name.utf8.starts(with: prefix.utf8) else { return found }
                if row.type == Entry.type, let entry = Entry(try row.content()) { found.append(entry) }
            }
            guard page.more, let name = page.records.last?.name else { return found }
            last = name
        }
    }
}
