package import Wire

/// A piece of synchronisation, reported to people and programs once when it begins and once when it is over.
package struct SyncActivity: Sendable, Equatable {
    /// The kind of work.
    package enum Kind: String, Sendable, CaseIterable {
        /// A session has begun, and both sides compare their zones.
        case setup
        /// Operations of a zone come in and are applied.
        case `import`
        /// Operations of a zone go out and are acknowledged.
        case export
    }

    /// Its number in this run of the node, ascending from 1.
    package var number: UInt64
    /// The kind of work.
    package var kind: Kind
    /// The zone; `nil` for all that is shared with the peer.
    package var zone: ZoneID?
    /// The device at the other end.
    package var peer: DeviceID
    /// The device's account.
    package var account: AccountID
    /// Operations so far.
    package var count: UInt64 = 0
    /// The time of its beginning, by the wall clock in milliseconds since 1970.
    package var startedMilliseconds: UInt64
    /// Its duration in milliseconds; `nil` while it goes on.
    package var durationMilliseconds: UInt64?
    /// The reason for the failure; only for an activity that is over.
    package var failure: Transfer.Failure?

    /// Whether it is over and went well.
    package var hasSucceeded: Bool { durationMilliseconds != nil && failure == nil }
}
