package import Wire

/// Why zones are not in step: what is missing there, what is missing here, and what came and waits.
package struct PendingReport: Sendable {
    /// One zone and one other device between which something is missing.
    package struct Entry: Sendable {
        /// The zone.
        package var zone: ZoneID
        /// Its name.
        package var name: String
        /// Its container.
        package var container: String
        /// The other device.
        package var device: DeviceID
        /// Its account.
        package var account: AccountID
        /// Its name in its account; empty when that is not known.
        package var deviceName: String
        /// Whether it can be talked to.
        package var state: PeerStatus.State
        /// Operations of this device that it has not acknowledged.
        package var count: UInt64
        /// Operations of anybody that are here and that it has not acknowledged.
        package var behind: UInt64
        /// Operations that it says to hold and that are not here; only known of a device that is connected.
        package var missing: UInt64
        /// When the oldest of `count` was written, by this device's clock in milliseconds since 1970.
        package var oldestMilliseconds: UInt64?
        /// How long ago that was; 0 when this device's clock was turned back since.
        package var ageMilliseconds: UInt64?
        /// Why they are not there yet.
        package var reason: Reason
        /// Since when, where that is known: when the device was last connected, or when it failed.
        package var sinceMilliseconds: UInt64?

        /// Makes an entry.
        package init(
            zone: ZoneID,
            name: String,
            container: String,
            device: DeviceID,
            account: AccountID,
            deviceName: String,
            state: PeerStatus.State,
            count: UInt64,
            behind: UInt64,
            missing: UInt64,
            oldestMilliseconds: UInt64?,
            ageMilliseconds: UInt64?,
            reason: Reason,
            sinceMilliseconds: UInt64?
        ) {
            self.zone = zone
            self.name = name
            self.container = container
            self.device = device
            self.account = account
            self.deviceName = deviceName
            self.state = state
            self.count = count
            self.behind = behind
            self.missing = missing
            self.oldestMilliseconds = oldestMilliseconds
            self.ageMilliseconds = ageMilliseconds
            self.reason = reason
            self.sinceMilliseconds = sinceMilliseconds
        }
    }

    /// Why something is not there yet; the raw values are part of the interface.
    package enum Reason: String, Sendable, CaseIterable {
        /// The device is connected, and it goes on.
        case syncing
        /// The device cannot be reached.
        case peerAway = "peer_away"
        /// The device is seen, and no session stands.
        case peerUnconnected = "peer_unconnected"
        /// This account has no right any more under which others would take it.
        case noRight = "no_right"
        /// This device was removed from its account: nobody talks to it.
        case deviceRemoved = "device_removed"
        /// The device's disk is full.
        case peerStorageFull = "peer_storage_full"
        /// The device takes nothing just now.
        case peerBusy = "peer_busy"
        /// This node's disk is full, so what the device holds cannot come.
        case storageFull = "storage_full"
        /// This node's store failed otherwise.
        case storageFailed = "storage_failed"
        /// What the device sent was refused here.
        case refused
        /// The connection broke off in the middle, or nothing was heard for minutes.
        case interrupted
    }

    /// Operations that came and are not applied, since their author had seen others that are not here.
    package struct HeldBack: Sendable {
        /// A log of which more is needed.
        package struct Missing: Sendable {
            /// The log's author as it is called in versions.
            package var actor: ActorID
            /// The device behind it; `nil` while nothing of it is here.
            package var device: DeviceID?
            /// Operations that are here.
            package var held: UInt64
            /// Operations that are needed.
            package var needed: UInt64

            /// Names a log.
            package init(actor: ActorID, device: DeviceID?, held: UInt64, needed: UInt64) {
                self.actor = actor
                self.device = device
                self.held = held
                self.needed = needed
            }
        }

        /// The zone.
        package var zone: ZoneID
        /// The device that wrote them.
        package var device: DeviceID
        /// How many.
        package var count: UInt64
        /// What they wait for; empty when something was purged that has to come again.
        package var waitsFor: [Missing]

        /// Describes what waits.
        package init(zone: ZoneID, device: DeviceID, count: UInt64, waitsFor: [Missing]) {
            self.zone = zone
            self.device = device
            self.count = count
            self.waitsFor = waitsFor
        }
    }

    /// What is missing, by zone and device.
    package var entries: [Entry]
    /// What came and waits.
    package var heldBack: [HeldBack]

    /// Makes a report.
    package init(entries: [Entry], heldBack: [HeldBack]) {
        self.entries = entries
        self.heldBack = heldBack
    }
}
