package import Records

/// One entry of the change feed: a record at its newest position.
package struct ChangeRow: Sendable {
    /// The position in the store's feed; grows with each change, never reused.
    package var position: UInt64
    /// The record as it is now.
    package var record: RecordRow
    /// Whether the newest change came from a peer.
    package var bySync: Bool
    /// Whether it had another type here at some time: deleted and made again, or made in two places at once.
    package var isRetyped: Bool

    /// Makes an entry.
    package init(position: UInt64, record: RecordRow, bySync: Bool, isRetyped: Bool = false) {
        self.position = position
        self.record = record
        self.bySync = bySync
        self.isRetyped = isRetyped
    }
}
