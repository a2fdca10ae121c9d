package import Wire

/// What went wrong last between this node and a device in a zone; gone when it has gone well again.
package struct SyncFailure: Sendable, Equatable {
    /// Where.
    package struct Key: Sendable, Hashable {
        /// Which way.
        package var kind: SyncActivity.Kind
        /// The zone.
        package var zone: ZoneID
        /// The device.
        package var peer: DeviceID

        /// A place.
        package init(_ kind: SyncActivity.Kind, zone: ZoneID, peer: DeviceID) {
            self.kind = kind
            self.zone = zone
            self.peer = peer
        }
    }

    /// What.
    package var failure: Transfer.Failure
    /// When, by the wall clock in milliseconds since 1970.
    package var milliseconds: UInt64

    /// Describes a failure.
    package init(failure: Transfer.Failure, milliseconds: UInt64) {
        self.failure = failure
        self.milliseconds = milliseconds
    }
}
