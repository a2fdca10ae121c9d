/// The reply of a change of the store, with the notice of the change for listeners.
package struct Changed<Reply: Sendable>: Sendable {
    /// The answer for the caller.
    package var reply: Reply
    /// The changes of the transaction.
    package var notice: CommitNotice

    /// Describes a change.
    /// - Parameters:
    ///   - reply: The answer for the caller.
    ///   - notice: The changes; by default none.
    package init(_ reply: Reply, notice: CommitNotice = CommitNotice()) {
        self.reply = reply
        self.notice = notice
    }
}
