import Identity
import Records
package import Wire

// Accounts that this account has blocked: they are refused at the handshake, and no invitation lets them in. A
// blocked account keeps its rights in zones until they are revoked.
extension Committer {
    /// Blocks an account, on all devices of this one.
    /// - Parameters:
    ///   - other: The account.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was blocked already.
    /// - Throws: ``InviteError/ownAccount``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func block(_ other: AccountID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard other != account.account else { throw InviteError.ownAccount }
        guard try !isBlocked(other, in: transaction) else { return CommitNotice() }
        let block = Block(account: other, since: wallMilliseconds, isBlocked: true)
        return try note([block.write], in: &transaction)
    }

    /// Ends the block of an account.
    /// - Parameters:
    ///   - other: The account.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was not blocked.
    /// - Throws: ``CommitError``, `ReplicaError`, or an error of the store.
    package func unblock(_ other: AccountID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard try isBlocked(other, in: transaction) else { return CommitNotice() }
        let block = Block(account: other, since: wallMilliseconds, isBlocked: false)
        return try note([block.write], in: &transaction)
    }

    /// The accounts that are blocked.
    /// - Parameter transaction: The store.
    /// - Returns: Ascending by account; none while this device has no copy of the book.
    /// - Throws: Any error of the store.
    package func blocked(_ transaction: some NodeTransaction) throws -> [Block] {
        let blocks: [Block] = try entries(in: transaction)
        return blocks.filter(\.isBlocked).sorted { $0.account < $1.account }
    }

    /// Whether an account is blocked.
    /// - Parameters:
    ///   - other: The account.
    ///   - transaction: The store.
    /// - Returns: False while this device has no copy of the book.
    /// - Throws: Any error of the store.
    /// - Complexity: O(1).
    package func isBlocked(_ other: AccountID, in transaction: some NodeTransaction) throws -> Bool {
        let block: Block? = try entry(Block.name(other), in: transaction)
        return block?.isBlocked ?? false
    }
}
