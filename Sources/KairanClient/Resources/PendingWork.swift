public import FoundationEssentials

/// The reasons why zones are not synchronised: operations missing there, operations missing here, and received ones
/// that wait.
public struct PendingWork: Sendable, Hashable, Codable {
    /// One zone and one other device between which something is missing.
    public struct Entry: Sendable, Hashable, Codable {
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
        /// Why they are not there yet: a stable word such as `peer_away`.
        public var reason: String
        /// The time since which the reason applies, where that is known.
        public var since: Date?

        enum CodingKeys: String, CodingKey {
            case zone, container, device, account, state, count, behind, missing, reason, since
            case zoneName = "zone_name"
            case deviceName = "device_name"
            case oldestAt = "oldest_at"
            case ageMilliseconds = "age_ms"
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
        }

        /// The zone.
        public var zone: String
        /// The device that wrote them.
        public var device: String
        /// The number of operations.
        public var count: UInt64
        /// The missing operations that they depend on, by log.
        public var waitsFor: [Missing]

        enum CodingKeys: String, CodingKey {
            case zone, device, count
            case waitsFor = "waits_for"
        }
    }

    /// The missing operations, by zone and device.
    public var pending: [Entry]
    /// The received operations that wait for others.
    public var heldBack: [HeldBack]

    enum CodingKeys: String, CodingKey {
        case pending
        case heldBack = "held_back"
    }
}
