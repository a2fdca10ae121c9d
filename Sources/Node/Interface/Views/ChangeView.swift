/// One change of the feed.
package struct ChangeView: Sendable {
    /// The action that a change asks of a program that keeps records by their names.
    package enum Kind: String, Sendable, CaseIterable {
        /// Keeps it as it is now.
        case save
        /// Drops it: it was deleted.
        case delete
        /// Drops the record, if the program has it: it no longer matches the selection.
        case out
    }

    /// The action.
    package var kind: Kind
    /// The record as it is now; without fields unless it is to be kept.
    package var record: RecordView
    /// Whether the newest change came from a peer.
    package var bySync: Bool

    /// Makes a change; by default, a record that is not deleted is to be kept.
    package init(record: RecordView, bySync: Bool, kind: Kind? = nil) {
        self.kind = kind ?? (record.isDeleted ? .delete : .save)
        self.record = record
        self.bySync = bySync
        if self.kind != .save { self.record.fields = [] }
    }
}
