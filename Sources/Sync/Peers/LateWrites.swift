import Wire

/// The late writes of a removed device: the progress of their delivery in a session.
struct LateWrites: Sendable {
    /// An answer of the peer.
    enum Awaited: Hashable, Sendable {
        /// The sizes of this device's logs in a zone that it holds.
        case sizes(ZoneID)
        /// The size that it keeps of the last run sent to it.
        case run(LogKey)
    }

    /// The zones whose turn has not come.
    var zones: [ZoneID]
    /// The answer after which the next step is taken.
    var awaited: Awaited?
}
