import Sync

/// The changes of a committed job, in the form for this node's listeners.
package struct StoreNotice: Sendable {
    /// The changes of the transaction.
    let commit: CommitNotice
}
