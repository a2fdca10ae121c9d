import Identity
import Records
package import Wire

// What this account calls others: in its book, so that all of its devices know it and nobody else does.
extension Committer {
    /// Names another account, on all devices of this one.
    /// - Parameters:
    ///   - other: The account.
    ///   - name: What it is called, by the rules of `Naming.mistake(in:)`; `nil` removes the name.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it is called so already.
    /// - Throws: ``InviteError/ownAccount``, ``CommitError``, `ReplicaError`, or what the store throws.
    package func setPetname(
        of other: AccountID,
        _ name: String?,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        guard other != account.account else { throw InviteError.ownAccount }
        let present = try petname(of: other, in: transaction)
        guard present.map(BytewiseString.init) != name.map(BytewiseString.init) else { return CommitNotice() }
        return try note([Petname(account: other, petname: name).write], in: &transaction)
    }

    /// What this account calls others.
    /// - Parameter transaction: The store.
    /// - Returns: None while this device has no copy of the book.
    /// - Throws: What the store throws.
    /// - Complexity: O(names).
    package func petnames(_ transaction: some NodeTransaction) throws -> [AccountID: String] {
        let entries: [Petname] = try entries(in: transaction)
        return entries.reduce(into: [:]) { $0[$1.account] = $1.petname }
    }

    private func petname(of other: AccountID, in transaction: some NodeTransaction) throws -> String? {
        let entry: Petname? = try entry(Petname.name(other), in: transaction)
        return entry?.petname
    }
}
