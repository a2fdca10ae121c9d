import Capabilities
import Identity
import Records
package import Wire

/// The account's own zone, which only its devices hold: blocks and names of other accounts, invitations and their
/// requests, relays, and schemas of containers.
package struct AccountZone: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// The zone's genesis, from which its id follows; every device of the account derives the same one.
    package var genesis: ZoneGenesis {
        committer.keyring.defaultZoneGenesis(
            container: ZoneGenesis.internalContainerPrefix + "account",
            name: "book",
            owner: committer.account.account
        )
    }

    /// Finds the zone, or creates it.
    /// - Parameter transaction: The store.
    /// - Returns: The zone, and the notice; without a number when it was there.
    /// - Throws: `CommitError.refused` for a device that may not write, `ReplicaError`, or an error of the store.
    package func establish(
        in transaction: inout some NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let genesis = genesis
        let zone = ZoneID(genesis)
        guard committer.mayWrite else { throw CommitError.refused(.deviceRole) }
        if try transaction.zone(zone) != nil { return (zone, CommitNotice()) }
        return try ZoneLifecycle(committer).create(genesis, in: &transaction)
    }

    /// Writes entries, all or nothing.
    /// - Throws: ``InviteError/notWritten(record:_:)``, ``CommitError``, `ReplicaError`, or an error of the store.
    func save(
        _ writes: [RecordWrite],
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var (zone, notice) = try establish(in: &transaction)
        let written = try committer.commit([WriteRequest(writes)], zone: zone, in: &transaction)
        for (write, result) in zip(writes, written.reply.results.first ?? []) {
            guard case .failure(let refusal) = result else { continue }
            // The others of the batch only name the one that was refused for itself.
            if case .batchRefused = refusal { continue }
            throw InviteError.notWritten(record: write.name, refusal)
        }
        notice.merge(written.notice)
        return notice
    }

    /// Returns an entry.
    /// - Returns: Nil when there is none that can be read.
    func entry<Entry: BookEntry>(_ name: String, in transaction: some NodeTransaction) throws -> Entry? {
        let zone = ZoneID(genesis)
        guard let book = try transaction.zone(zone), !book.isDeleted else { return nil }
        let tag = try RecordTag(of: name, zone: zone, in: transaction)
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
        let zone = ZoneID(genesis)
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
