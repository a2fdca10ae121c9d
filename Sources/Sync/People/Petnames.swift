import Identity
import Records
package import Wire

/// This account's names for other accounts.
///
/// They are in the account's zone, so that all of its devices know them, and no other account does.
package struct Petnames: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Names another account, on all devices of this one.
    /// - Parameters:
    ///   - other: The account.
    ///   - name: The name, by the rules of `Naming.mistake(in:)`; `nil` removes it.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when the account has this name already.
    /// - Throws: ``InviteError/ownAccount``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func set(
        of other: AccountID,
        _ name: String?,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard other != committer.account.account else { throw InviteError.ownAccount }
        let present = try petname(of: other, in: transaction)
        guard present.map(BytewiseString.init) != name.map(BytewiseString.init) else { return CommitNotice() }
        return try AccountZone(committer).save([Petname(account: other, petname: name).write], in: &transaction)
    }

    /// Returns this account's names for other accounts.
    /// - Parameter transaction: The store.
    /// - Returns: None while this device has no copy of the account's zone.
    /// - Throws: Any error of the store.
    /// - Complexity: O(names).
    package func all(_ transaction: some NodeTransaction) throws -> [AccountID: String] {
        let entries: [Petname] = try AccountZone(committer).entries(in: transaction)
        return entries.reduce(into: [:]) { $0[$1.account] = $1.petname }
    }

    private func petname(of other: AccountID, in transaction: some NodeTransaction) throws -> String? {
        let entry: Petname? = try AccountZone(committer).entry(Petname.name(other), in: transaction)
        return entry?.petname
    }
}
