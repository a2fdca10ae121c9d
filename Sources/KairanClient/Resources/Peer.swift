public import FoundationEssentials

/// Another device and how it is reached.
public struct Peer: Sendable, Hashable, Codable {
    /// Whether a peer can be talked to.
    public enum State: String, Sendable, Codable {
        /// A session stands.
        case connected
        /// It is seen, but no session stands.
        case reachable
        /// It is seen, and no dial has reached it.
        case unreachable
        /// It is not seen.
        case away
    }

    /// The obstacle between this device and one that is in sight.
    public struct Trouble: Sendable, Hashable, Codable {
        /// The cause that the last attempt met, for people.
        public var error: String
        /// The time since which no attempt succeeds.
        public var since: Date
        /// The way out.
        public var fix: String
    }

    /// The device.
    public var device: String
    /// Its account.
    public var account: String
    /// The account's name here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// Its name in the account.
    public var name: String
    /// Whether it can be talked to.
    public var state: State
    /// Its address, where one is known.
    public var address: String?
    /// The source of the address: `mdns`, `static`, `last_known` or `inbound`.
    public var via: String?
    /// The obstacle, where it is ``State/unreachable``.
    public var trouble: Trouble?
    /// The time since its last message in milliseconds; `nil` without a session.
    ///
    /// The daemon pings it before it answers.
    public var silenceMilliseconds: UInt64?
    /// Round-trip time of the last ping in milliseconds.
    public var roundTripMilliseconds: Double?
    /// Its clock minus ours in milliseconds.
    public var skewMilliseconds: Int64?
    /// Its role in the account: `full`, `relay_only` or `read_only`.
    public var role: String
    /// The version of the channel that the session speaks; `nil` without a session, or from an older daemon.
    public var channelVersion: Int?
    /// The highest version ever spoken with it, below which it is refused.
    public var channelPinned: Int?
    /// Whether a recording of the session stays closed to a quantum computer; `nil` without a session.
    public var isPostQuantum: Bool?
    /// The version that the peer's program reports; `nil` without a session, and for a program that reports none.
    public var version: String?
    /// The number of the messages between devices that the program knows; `nil` where ``version`` is.
    public var revision: Int?

    enum CodingKeys: String, CodingKey {
        case device, account, name, state, address, via, role, trouble, version, revision
        case silenceMilliseconds = "silence_ms"
        case roundTripMilliseconds = "rtt_ms"
        case skewMilliseconds = "skew_ms"
        case channelVersion = "channel_version"
        case channelPinned = "channel_pinned"
        case isPostQuantum = "post_quantum"
        case accountName = "account_name"
    }
}
