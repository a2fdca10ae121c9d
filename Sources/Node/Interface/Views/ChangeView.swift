/// One change of the feed.
package struct ChangeView: Sendable {
    /// What a program that keeps records by their names does with one.
    package enum Kind: String, Sendable, CaseIterable {
        /// Keeps it as it is now.
        case save
        /// Drops it: it was deleted.
        case delete
        /// Drops it, if it has it: it is not among those that were asked for.
        case out
    }

    /// What became of it.
    package var kind: Kind
    /// The record as it is now; without fields unless it is to be kept.
    package var record: RecordView
    /// Whether the newest change came from a peer.
    package var bySync: Bool

    /// Makes a change; a record that is not deleted is to be kept unless something else is said.
    package init(record: RecordView, bySync: Bool, kind: Kind? = nil) {
        self.kind = kind ?? (record.isDeleted ? .delete : .save)
        self.record = record
        self.bySync = bySync
        if self.kind != .save { self.record.fields = [] }
    }
}
