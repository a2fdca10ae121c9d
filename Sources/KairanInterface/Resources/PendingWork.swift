public import FoundationEssentials

/// The reasons why zones are not synchronised: operations missing there, operations missing here, and received ones
/// that wait.
public struct PendingWork: Sendable, Hashable, Codable {
    /// One zone and one other device between which something is missing.
    public struct Entry: Sendable, Hashable, Codable {
        /// The reason why operations are not there yet.
        public struct Reason: InterfaceWord {
            /// The word on the interface.
            public let rawValue: String
            /// Names a word, which need not be a known one.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// The device is connected, and the synchronisation continues.
            public static let syncing = Reason(rawValue: "syncing")
            /// The device is not seen.
            public static let peerAway = Reason(rawValue: "peer_away")
            /// The device is seen, and no session stands.
            public static let peerUnconnected = Reason(rawValue: "peer_unconnected")
            /// This account has no right any more under which others would take the operations.
            public static let noRight = Reason(rawValue: "no_right")
            /// This device was removed from its account, and nobody talks to it.
            public static let deviceRemoved = Reason(rawValue: "device_removed")
            /// The disk of the device is full.
            public static let peerStorageFull = Reason(rawValue: "peer_storage_full")
            /// The device has too much to do.
            public static let peerBusy = Reason(rawValue: "peer_busy")
            /// The disk of this device is full.
            public static let storageFull = Reason(rawValue: "storage_full")
            /// The disk of this device failed.
            public static let storageFailed = Reason(rawValue: "storage_failed")
            /// One side refused what the other one sent.
            public static let refused = Reason(rawValue: "refused")
            /// The connection ended.
            public static let interrupted = Reason(rawValue: "interrupted")
            /// The words that this version knows.
            public static let known: [Reason] = [
                .syncing, .peerAway, .peerUnconnected, .noRight, .deviceRemoved, .peerStorageFull, .peerBusy,
                .storageFull, .storageFailed, .refused, .interrupted,
            ]
        }

        /// The zone.
        public var zone: String
        /// Its name.
        public var zoneName: String
        /// Its container.
        public var container: String
        /// The other device.
        public var device: String
        /// Its name; empty when that is not known.
        public var deviceName: String
        /// Its account.
        public var account: String
        /// Whether it can be talked to.
        public var state: Peer.State
        /// Operations of this machine that it has not acknowledged.
        public var count: UInt64
        /// Operations of any author that are here and that it has not acknowledged.
        public var behind: UInt64
        /// Operations that it reports to hold and that are not here; only known while it is connected.
        public var missing: UInt64
        /// The time at which the oldest of `count` was written.
        public var oldestAt: Date?
        /// The time that has passed since then, in milliseconds.
        public var ageMilliseconds: UInt64?
        /// The reason why they are not there yet.
        public var reason: Reason
        /// The time since which the reason applies, where that is known.
        public var since: Date?

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(
            zone: String,
            zoneName: String,
            container: String,
            device: String,
            deviceName: String,
            account: String,
            state: Peer.State,
            count: UInt64,
            behind: UInt64,
            missing: UInt64,
            oldestAt: Date?,
            ageMilliseconds: UInt64?,
            reason: Reason,
            since: Date?
        ) {
            self.zone = zone
            self.zoneName = zoneName
            self.container = container
            self.device = device
            self.deviceName = deviceName
            self.account = account
            self.state = state
            self.count = count
            self.behind = behind
            self.missing = missing
            self.oldestAt = oldestAt
            self.ageMilliseconds = ageMilliseconds
            self.reason = reason
            self.since = since
        }

        enum CodingKeys: String, CodingKey {
            case zone
            case zoneName = "zone_name"
            case container, device
            case deviceName = "device_name"
            case account, state, count, behind, missing
            case oldestAt = "oldest_at"
            case ageMilliseconds = "age_ms"
            case reason, since
        }
    }

    /// Operations that came and are not applied, since their author had seen others that are not here.
    public struct HeldBack: Sendable, Hashable, Codable {
        /// A log of which more is needed.
        public struct Missing: Sendable, Hashable, Codable {
            /// The log.
            public var log: String
            /// The device that writes it; `nil` while nothing of it is here.
            public var device: String?
            /// Operations that are here.
            public var held: UInt64
            /// Operations that are needed.
            public var needed: UInt64

            /// Describes it.
            /// - Parameters: as the properties of the same names.
            package init(log: String, device: String?, held: UInt64, needed: UInt64) {
                (self.log, self.device, self.held, self.needed) = (log, device, held, needed)
            }
        }

        /// The zone.
        public var zone: String
        /// The device that wrote them.
        public var device: String
        /// The number of operations.
        public var count: UInt64
        /// The missing operations that they depend on, by log.
        public var waitsFor: [Missing]

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(zone: String, device: String, count: UInt64, waitsFor: [Missing]) {
            (self.zone, self.device, self.count, self.waitsFor) = (zone, device, count, waitsFor)
        }

        enum CodingKeys: String, CodingKey {
            case zone, device, count
            case waitsFor = "waits_for"
        }
    }

    /// The missing operations, by zone and device.
    public var pending: [Entry]
    /// The received operations that wait for others.
    public var heldBack: [HeldBack]

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(pending: [Entry], heldBack: [HeldBack]) {
        (self.pending, self.heldBack) = (pending, heldBack)
    }

    enum CodingKeys: String, CodingKey {
        case pending
        case heldBack = "held_back"
    }
}
