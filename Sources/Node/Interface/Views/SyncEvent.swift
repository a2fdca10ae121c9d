package import Wire

/// A finished piece of synchronisation.
package struct SyncEvent: Sendable {
    /// The directions.
    package enum Kind: String, Sendable {
        /// A zone or an account was set up.
        case setup
        /// Operations came in and were applied.
        case `import`
        /// Operations were acknowledged by a peer.
        case export
    }

    /// Which direction.
    package var kind: Kind
    /// The zone; `nil` for the account.
    package var zone: ZoneID?
    /// With whom.
    package var peer: DeviceID
    /// How many operations.
    package var count: UInt64
    /// Whether it went well.
    package var succeeded: Bool
    /// What went wrong; a stable code.
    package var error: String?

    /// Makes an event.
    package init(kind: Kind, zone: ZoneID?, peer: DeviceID, count: UInt64, succeeded: Bool, error: String?) {
        self.kind = kind
        self.zone = zone
        self.peer = peer
        self.count = count
        self.succeeded = succeeded
        self.error = error
    }
}
