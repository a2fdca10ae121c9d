package import Wire

/// Under whose name a replica writes.
package struct Author: Hashable, Sendable {
    /// The local device.
    package var device: DeviceID
    /// The store's incarnation.
    package var incarnation: Incarnation
    /// The actor of the two.
    package var actor: ActorID

    /// An author; `actor` must be the one derived from device and incarnation.
    package init(device: DeviceID, incarnation: Incarnation, actor: ActorID) {
        self.device = device
        self.incarnation = incarnation
        self.actor = actor
    }
}

/// What a commit did.
package struct Commit: Sendable {
    /// For each request, for each of its writes: the record as that write left it, or why it was refused.
    package var results: [[Result<RecordRow, WriteRefusal>]]
    /// The heads that were signed, ascending; none when every write was refused.
    package var heads: [SignedTreeHead]
    /// The records in their final states, each once.
    package var changed: [RecordRow]
    /// The log that grew.
    package var key: LogKey
    /// Its size now.
    package var size: UInt64
    /// The store-wide number of the commit; nil when nothing was written.
    package var number: UInt64?
}
