package import Wire

/// The last failure between this node and a device in a zone; removed when the same exchange succeeds again.
package struct SyncFailure: Sendable, Equatable {
    /// The place of a failure.
    package struct Key: Sendable, Hashable {
        /// The kind of activity, which implies the direction.
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

    /// The reason.
    package var failure: Transfer.Failure
    /// The time of the failure, by the wall clock in milliseconds since 1970.
    package var milliseconds: UInt64

    /// Describes a failure.
    package init(failure: Transfer.Failure, milliseconds: UInt64) {
        self.failure = failure
        self.milliseconds = milliseconds
    }
}
