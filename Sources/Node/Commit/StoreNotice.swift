import Sync

/// What a committed job changed, as this node's listeners are told it.
package struct StoreNotice: Sendable {
    /// What the transaction changed.
    let commit: CommitNotice
}
