package import KairanInterface
package import Sync
package import Wire

/// A piece of synchronisation, reported once when it begins and once when it is over.
package struct SyncEvent: Sendable, Equatable {
    /// Its number in this run of the daemon; the same at its beginning and its end.
    package var number: UInt64
    /// The kind.
    package var kind: DaemonEvent.SyncReport.Kind
    /// The zone; `nil` for all that is shared with the peer.
    package var zone: ZoneID?
    /// The other device.
    package var peer: DeviceID
    /// The device's account.
    package var account: AccountID
    /// The number of operations so far.
    package var count: UInt64
    /// The time at which it began, in milliseconds since 1970.
    package var startedMilliseconds: UInt64
    /// The duration in milliseconds; `nil` while it goes on.
    package var durationMilliseconds: UInt64?
    /// The failure; a stable code.
    package var error: String?

    /// Whether it is over and went well.
    package var succeeded: Bool { durationMilliseconds != nil && error == nil }

    /// Makes an event.
    package init(
        number: UInt64,
        kind: DaemonEvent.SyncReport.Kind,
        zone: ZoneID?,
        peer: DeviceID,
        account: AccountID,
        count: UInt64,
        startedMilliseconds: UInt64,
        durationMilliseconds: UInt64?,
        error: String?
    ) {
        self.number = number
        self.kind = kind
        self.zone = zone
        self.peer = peer
        self.account = account
        self.count = count
        self.startedMilliseconds = startedMilliseconds
        self.durationMilliseconds = durationMilliseconds
        self.error = error
    }

    /// Tells of an activity.
    package init(_ activity: SyncActivity) {
        self.init(
            number: activity.number,
            kind: DaemonEvent.SyncReport.Kind(activity.kind),
            zone: activity.zone,
            peer: activity.peer,
            account: activity.account,
            count: activity.count,
            startedMilliseconds: activity.startedMilliseconds,
            durationMilliseconds: activity.durationMilliseconds,
            error: activity.failure?.rawValue
        )
    }
}

extension DaemonEvent.SyncReport.Kind {
    fileprivate init(_ kind: SyncActivity.Kind) {
        self =
            switch kind {
            case .setup: .setup
            case .import: .import
            case .export: .export
            }
    }
}
