public import FoundationEssentials

/// The choice of the assets of a zone that this device fetches by itself.
public struct AssetPolicySetting: Sendable, Hashable, Codable {
    /// The kind of a policy.
    public struct Policy: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The device fetches none, not even on request.
        public static let never = Policy(rawValue: "never")
        /// The device fetches an asset when a program asks for it.
        public static let onDemand = Policy(rawValue: "on_demand")
        /// The device fetches the assets up to a size by itself, and larger ones when a program asks for them.
        public static let upTo = Policy(rawValue: "up_to")
        /// The device fetches all by itself.
        public static let always = Policy(rawValue: "always")
        /// The words that this version knows.
        public static let known: [Policy] = [.never, .onDemand, .upTo, .always]
    }

    /// The policy in force.
    public var policy: Policy
    /// With ``Policy/upTo`` the largest size in bytes that is fetched without a request; `nil` with every other policy.
    public var upTo: UInt64?
    /// Whether the zone has no policy of its own, so that the device's default is in force.
    public var isDefault: Bool
    /// Whether the relays of the account keep the contents of the zone that are on this device.
    public var isKeptAtRelays: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(policy: Policy, upTo: UInt64? = nil, isDefault: Bool, isKeptAtRelays: Bool = true) {
        (self.policy, self.upTo, self.isDefault, self.isKeptAtRelays) = (policy, upTo, isDefault, isKeptAtRelays)
    }

    enum CodingKeys: String, CodingKey {
        case policy
        case upTo = "up_to"
        case isDefault = "default"
        case isKeptAtRelays = "relays"
    }
}

/// The reasons for the state of an asset on this device.
public struct AssetExplanation: Sendable, Hashable, Codable {
    /// The id of the content.
    public var asset: String
    /// The number of bytes of the content.
    public var size: UInt64
    /// The state of the content on this device.
    public var state: Asset.State
    /// The percentage of the content that is here, 0...100.
    public var percent: Int
    /// The records that name it and that this program may see, at most 100.
    public var places: [Asset.Place]
    /// The reasons for the state, each a sentence for people.
    public var reasons: [String]
    /// The next step, a sentence for people; empty where nothing has to be done.
    public var fix: String
    /// The time since which no record names it; `nil` while one does, and for an upload that none has named yet.
    public var unnamedSince: Date?
    /// The time at which this device drops it unless a record names it until then; `nil` while one does.
    public var keptUntil: Date?
    /// The time until which this device does not evict it, since it has promised that to another one; `nil` where it has not.
    public var promisedUntil: Date?
    /// The connected devices that were asked about it, with their answers; `nil` where none was asked.
    public var holders: [AssetHolder]?
    /// The machines that are known to have the content; `nil` where the daemon does not say.
    public var copies: AssetCopies?
    /// The relays that have promised to keep it; `nil` where none has.
    public var relays: [AssetRelay]?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        asset: String,
        size: UInt64,
        state: Asset.State,
        percent: Int,
        places: [Asset.Place],
        reasons: [String],
        fix: String,
        unnamedSince: Date? = nil,
        keptUntil: Date? = nil,
        promisedUntil: Date? = nil,
        holders: [AssetHolder]? = nil,
        copies: AssetCopies? = nil,
        relays: [AssetRelay]? = nil
    ) {
        self.asset = asset
        self.size = size
        self.state = state
        self.percent = percent
        self.places = places
        self.reasons = reasons
        self.fix = fix
        self.unnamedSince = unnamedSince
        self.keptUntil = keptUntil
        self.promisedUntil = promisedUntil
        self.holders = holders
        self.copies = copies
        self.relays = relays
    }

    enum CodingKeys: String, CodingKey {
        case asset, size, state, percent, places, reasons, fix, holders, copies, relays
        case unnamedSince = "unnamed_since"
        case keptUntil = "kept_until"
        case promisedUntil = "promised_until"
    }
}

/// The promise of a relay of the account to keep the content of an asset.
public struct AssetRelay: Sendable, Hashable, Codable {
    /// The id of the relay.
    public var device: String
    /// The end of the promise, by the relay's clock; it is asked for again each day.
    public var until: Date

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(device: String, until: Date) { (self.device, self.until) = (device, until) }
}

/// The assets on this device that no record names any more.
public struct AssetCollection: Sendable, Hashable, Codable {
    /// An asset that no record names.
    public struct Unnamed: Sendable, Hashable, Codable {
        /// The id of the content.
        public var asset: String
        /// The number of bytes of the content.
        public var size: UInt64
        /// The time since which no record names it.
        public var since: Date
        /// The time at which this device drops it by itself.
        public var until: Date

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(asset: String, size: UInt64, since: Date, until: Date) {
            (self.asset, self.size, self.since, self.until) = (asset, size, since, until)
        }
    }

    /// The assets, the one that has been without a record the longest first.
    public var assets: [Unnamed]
    /// The number of their bytes on this device.
    public var bytes: UInt64
    /// The number of these assets that were dropped; 0 where they were only listed.
    public var dropped: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(assets: [Unnamed], bytes: UInt64, dropped: Int) {
        (self.assets, self.bytes, self.dropped) = (assets, bytes, dropped)
    }
}

extension AssetPolicySetting: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["up_to"]
}

extension AssetExplanation: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = [
        "unnamed_since", "kept_until", "promised_until", "holders", "copies", "relays",
    ]
}
