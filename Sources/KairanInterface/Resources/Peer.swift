public import FoundationEssentials

/// Another device and how it is reached.
public struct Peer: Sendable, Hashable, Codable {
    /// The source of an address.
    public struct Source: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It was discovered on the network.
        public static let mdns = Source(rawValue: "mdns")
        /// The configuration has it.
        public static let `static` = Source(rawValue: "static")
        /// It is that of an earlier session.
        public static let lastKnown = Source(rawValue: "last_known")
        /// The device has connected from it.
        public static let inbound = Source(rawValue: "inbound")
        /// The words that this version knows.
        public static let known: [Source] = [.mdns, .static, .lastKnown, .inbound]
    }

    /// Whether a peer can be talked to.
    public enum State: String, Sendable, Codable, CaseIterable {
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

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(error: String, since: Date, fix: String) {
            (self.error, self.since, self.fix) = (error, since, fix)
        }
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
    /// The source of the address.
    public var via: Source?
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
    /// Its role in the account.
    public var role: Device.Role
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

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        device: String,
        account: String,
        accountName: String? = nil,
        name: String,
        state: State,
        address: String?,
        via: Source?,
        trouble: Trouble?,
        silenceMilliseconds: UInt64?,
        roundTripMilliseconds: Double?,
        skewMilliseconds: Int64?,
        role: Device.Role,
        channelVersion: Int?,
        channelPinned: Int?,
        isPostQuantum: Bool?,
        version: String?,
        revision: Int?
    ) {
        self.device = device
        self.account = account
        self.accountName = accountName
        self.name = name
        self.state = state
        self.address = address
        self.via = via
        self.trouble = trouble
        self.silenceMilliseconds = silenceMilliseconds
        self.roundTripMilliseconds = roundTripMilliseconds
        self.skewMilliseconds = skewMilliseconds
        self.role = role
        self.channelVersion = channelVersion
        self.channelPinned = channelPinned
        self.isPostQuantum = isPostQuantum
        self.version = version
        self.revision = revision
    }

    enum CodingKeys: String, CodingKey {
        case device, account
        case accountName = "account_name"
        case name, state, address, via, trouble
        case silenceMilliseconds = "silence_ms"
        case roundTripMilliseconds = "rtt_ms"
        case skewMilliseconds = "skew_ms"
        case role
        case channelVersion = "channel_version"
        case channelPinned = "channel_pinned"
        case isPostQuantum = "post_quantum"
        case version, revision
    }
}
