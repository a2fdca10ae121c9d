package import Identity
package import Wire

/// The relays that the account uses, as its zone lists them.
package struct RelayUses: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// The relays that the account uses.
    /// - Parameter transaction: The store.
    /// - Returns: The one that was there first comes first; none while this device has no copy of the account's zone.
    /// - Throws: Any error of the store.
    package func all(_ transaction: some NodeTransaction) throws -> [RelayUse] {
        let entries: [RelayUse] = try AccountZone(committer).entries(in: transaction)
        return entries.filter(\.isUsed).sorted { ($0.since, $0.link.relay) < ($1.since, $1.link.relay) }
    }

    /// Makes all devices of the account use a relay.
    /// - Parameters:
    ///   - link: The link to the relay, with the admission of the account.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it is used already, by the same link.
    /// - Throws: ``InviteError``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func add(_ link: RelayLink, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let before: RelayUse? = try AccountZone(committer).entry(RelayUse.name(link.relay), in: transaction)
        if let before, before.isUsed, before.link == link { return CommitNotice() }
        let since = before.flatMap { $0.isUsed ? $0.since : nil } ?? committer.wallMilliseconds
        let use = RelayUse(link: link, since: since, isUsed: true).write
        return try AccountZone(committer).save([use], in: &transaction)
    }

    /// Makes all devices of the account stop using a relay.
    /// - Parameters:
    ///   - relay: The relay.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was not used.
    /// - Throws: ``InviteError``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func forget(_ relay: RelayID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        let before: RelayUse? = try AccountZone(committer).entry(RelayUse.name(relay), in: transaction)
        guard let before, before.isUsed else { return CommitNotice() }
        let use = RelayUse(link: before.link, since: before.since, isUsed: false).write
        return try AccountZone(committer).save([use], in: &transaction)
    }
}
