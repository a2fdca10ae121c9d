import Capabilities
import Identity
import Records
import Sodium
package import Wire

/// Zones that this account owns together with another one.
///
/// Both derive them, and neither asks the other.
package struct PairZones: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Derives the terms of a zone of this account and another one.
    /// - Parameters:
    ///   - other: The other account; its log is known here.
    ///   - container: The container.
    ///   - name: The zone's name.
    /// - Returns: Genesis and tag key, the same ones as the other account derives.
    /// - Throws: `CommitError.noPairKey` while the other account's log does not state its key, or states a malformed
    ///   one.
    package func terms(with other: AccountID, container: String, name: String) throws -> ZoneTerms {
        guard let state = committer.accounts[other], let key = state.pairKey, other != committer.account.account else {
            throw CommitError.noPairKey(other)
        }
        do {
            return try PairSecret(committer.keyring, of: committer.account.account, with: other, key).terms(
                container: container,
                name: name
            )
        } catch {
            throw CommitError.noPairKey(other)
        }
    }

    /// Whether a pair zone is the one that its two accounts derive.
    ///
    /// Any account can write a genesis that names this account.
    /// - Parameter terms: The announced terms.
    /// - Returns: False also while the other account's key is not known here.
    package func derives(_ terms: ZoneTerms) -> Bool {
        guard let other = terms.genesis.partner(of: committer.account.account) else { return false }
        // Why it cannot be derived makes no difference.
        let own = try? self.terms(with: other, container: terms.genesis.container, name: terms.genesis.name)
        return own == terms
    }

    /// Makes a zone of this account and another one, finds it, or returns to it.
    /// - Parameters:
    ///   - terms: The terms of the zone, from ``terms(with:container:name:)``.
    ///   - transaction: The store.
    /// - Returns: The zone's id, and the notice; without a number when this account is in it already.
    /// - Throws: `CommitError.foreignZone`, `ReplicaError`, or an error of the store.
    package func enter(
        _ terms: ZoneTerms,
        in transaction: inout some NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let zone = ZoneID(terms.genesis)
        guard terms.genesis.partner(of: committer.account.account) != nil else { throw CommitError.foreignZone(zone) }
        guard let row = try transaction.zone(zone) else { return try make(terms, in: &transaction) }
        guard
            let right = try ZoneViews(committer).controlState(zone, in: transaction).returning(
                committer.account.account
            )
        else {
            return (zone, CommitNotice())
        }
        let notice = try committer.tracking(zone, in: &transaction) { transaction in
            var row = row
            (row.right, row.role) = (right, .owner)
            try transaction.save(row)
            try ControlStatements(committer).commit(.genesis(terms.genesis), zone: zone, in: &transaction)
            _ = try LogRulings(committer).rule(zone, in: &transaction)
            try EpochKeys(committer).begin(zone, in: &transaction)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            notice.zoneEvents.append((zone, false))
            return notice
        }
        return (zone, notice)
    }

    private func make(
        _ terms: ZoneTerms,
        in transaction: inout some NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let zone = ZoneID(terms.genesis)
        let notice = try committer.tracking(zone, in: &transaction) { transaction in
            try insert(terms, in: &transaction)
            try ControlStatements(committer).commit(.genesis(terms.genesis), zone: zone, in: &transaction)
            try EpochKeys(committer).begin(zone, in: &transaction)
            if !committer.account.removedDevices.isEmpty { _ = try LogRulings(committer).rule(zone, in: &transaction) }
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            notice.zoneEvents.append((zone, false))
            return notice
        }
        return (zone, notice)
    }

    /// Makes a pair zone known in which this account writes by its own right.
    private func insert(_ terms: ZoneTerms, in transaction: inout some NodeTransaction) throws {
        let zone = ZoneID(terms.genesis)
        assert(terms.genesis.partner(of: committer.account.account) != nil, "only its two accounts have a pair right")
        _ = try transaction.createZone(zone, genesis: terms.genesis, tagKey: terms.tagKey)
        guard var row = try transaction.zone(zone) else { return }
        (row.right, row.role) = (Hash(pairRightOf: committer.account.account, in: zone), .owner)
        try transaction.save(row)
    }

    /// Adds a pair zone that another device has announced; its control log decides about the rights in it.
    func join(
        _ terms: ZoneTerms,
        in transaction: inout some NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let zone = ZoneID(terms.genesis)
        guard let other = terms.genesis.partner(of: committer.account.account) else {
            throw CommitError.foreignZone(zone)
        }
        // A device of this account may have learnt of the other account's key first; its word is believed then.
        let isKnown = committer.accounts[other].map { $0.pairKey != nil } ?? false
        guard !isKnown || derives(terms) else { throw CommitError.foreignZone(zone) }
        if try transaction.zone(zone) != nil { return (zone, CommitNotice()) }
        let notice = try committer.tracking(zone, in: &transaction) { transaction in
            try insert(terms, in: &transaction)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            notice.zoneEvents.append((zone, false))
            return notice
        }
        return (zone, notice)
    }
}
