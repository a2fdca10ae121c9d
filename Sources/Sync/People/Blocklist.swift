import Identity
import Records
package import Wire

/// The accounts that this account has blocked: they are refused at the handshake, and no invitation lets them in.
///
/// A blocked account keeps its rights in zones until they are revoked.
package struct Blocklist: Sendable {
    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// Blocks an account, on all devices of this one.
    /// - Parameters:
    ///   - other: The account.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was blocked already.
    /// - Throws: ``InviteError/ownAccount``, ``CommitError``, `ReplicaError`, or an error of the store.
    package func block(_ other: AccountID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard other != committer.account.account else { throw InviteError.ownAccount }
        guard try !contains(other, in: transaction) else { return CommitNotice() }
        let block = Block(account: other, since: committer.wallMilliseconds, isBlocked: true)
        return try AccountZone(committer).save([block.write], in: &transaction)
    }

    /// Ends the block of an account.
    /// - Parameters:
    ///   - other: The account.
    ///   - transaction: The store.
    /// - Returns: The notice; without a number when it was not blocked.
    /// - Throws: ``CommitError``, `ReplicaError`, or an error of the store.
    package func unblock(_ other: AccountID, in transaction: inout some NodeTransaction) throws -> CommitNotice {
        guard try contains(other, in: transaction) else { return CommitNotice() }
        let block = Block(account: other, since: committer.wallMilliseconds, isBlocked: false)
        return try AccountZone(committer).save([block.write], in: &transaction)
    }

    /// The accounts that are blocked.
    /// - Parameter transaction: The store.
    /// - Returns: Ascending by account; none while this device has no copy of the account's zone.
    /// - Throws: Any error of the store.
    package func all(_ transaction: some NodeTransaction) throws -> [Block] {
        let blocks: [Block] = try AccountZone(committer).entries(in: transaction)
        return blocks.filter(\.isBlocked).sorted { $0.account < $1.account }
    }

    /// Whether an account is blocked.
    /// - Parameters:
    ///   - other: The account.
    ///   - transaction: The store.
    /// - Returns: False while this device has no copy of the account's zone.
    /// - Throws: Any error of the store.
    /// - Complexity: O(1).
    package func contains(_ other: AccountID, in transaction: some NodeTransaction) throws -> Bool {
        let block: Block? = try AccountZone(committer).entry(Block.name(other), in: transaction)
        return block?.isBlocked ?? false
    }
}
