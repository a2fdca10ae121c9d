package import KairanInterface

/// One change of the feed.
package struct ChangeView: Sendable {
    /// The action.
    package var kind: Change.Kind
    /// The record as it is now; without fields unless it is to be kept.
    package var record: RecordView
    /// Whether the newest change came from a peer.
    package var bySync: Bool

    /// Makes a change; by default, a record that is not deleted is to be kept.
    package init(record: RecordView, bySync: Bool, kind: Change.Kind? = nil) {
        self.kind = kind ?? (record.isDeleted ? .delete : .save)
        self.record = record
        self.bySync = bySync
        if self.kind != .save { self.record.fields = [] }
    }
}
