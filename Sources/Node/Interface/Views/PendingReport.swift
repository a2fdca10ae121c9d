package import KairanInterface
package import Wire

/// The reasons why zones are not synchronised: operations that peers lack, that this device lacks, and that arrived
/// and wait.
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
        /// The state of the connection to it.
        package var state: Peer.State
        /// Operations of this device that it has not acknowledged.
        package var count: UInt64
        /// Operations of any author that are here and that it has not acknowledged.
        package var behind: UInt64
        /// Operations that it claims to hold and that are not here; only known of a device that is connected.
        package var missing: UInt64
        /// The time at which the oldest of `count` was written, by this device's clock in milliseconds since 1970.
        package var oldestMilliseconds: UInt64?
        /// The age of that operation; 0 when this device's clock was turned back since.
        package var ageMilliseconds: UInt64?
        /// The reason why the operations are not there yet.
        package var reason: PendingWork.Entry.Reason
        /// The start of that condition, where it is known: the device's last connection, or the time of the failure.
        package var sinceMilliseconds: UInt64?

        /// Makes an entry.
        package init(
            zone: ZoneID,
            name: String,
            container: String,
            device: DeviceID,
            account: AccountID,
            deviceName: String,
            state: Peer.State,
            count: UInt64,
            behind: UInt64,
            missing: UInt64,
            oldestMilliseconds: UInt64?,
            ageMilliseconds: UInt64?,
            reason: PendingWork.Entry.Reason,
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

    /// Operations that arrived and are not applied, since their author had seen others that are not here.
    package struct HeldBack: Sendable {
        /// A log of which more is needed.
        package struct Missing: Sendable {
            /// The log's author, under its name in version vectors.
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
        /// The number of operations.
        package var count: UInt64
        /// The logs that they wait for; empty when an operation was purged that has to be sent again.
        package var waitsFor: [Missing]

        /// Describes operations that wait.
        package init(zone: ZoneID, device: DeviceID, count: UInt64, waitsFor: [Missing]) {
            self.zone = zone
            self.device = device
            self.count = count
            self.waitsFor = waitsFor
        }
    }

    /// The missing operations, by zone and device.
    package var entries: [Entry]
    /// The operations that arrived and wait.
    package var heldBack: [HeldBack]

    /// Makes a report.
    package init(entries: [Entry], heldBack: [HeldBack]) {
        self.entries = entries
        self.heldBack = heldBack
    }
}
