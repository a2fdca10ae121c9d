import Wire

/// The late writes of a removed device: how far it is with handing them over in a session.
struct LateWrites: Sendable {
    /// An answer of the peer.
    enum Awaited: Hashable, Sendable {
        /// How much it holds of this device's logs in a zone.
        case sizes(ZoneID)
        /// How much it keeps of the last run that it was sent.
        case run(LogKey)
    }

    /// The zones whose turn has not come.
    var zones: [ZoneID]
    /// The answer after which the next step is taken.
    var awaited: Awaited?
}
