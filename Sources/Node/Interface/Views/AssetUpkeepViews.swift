package import KairanInterface
package import Wire

/// The assets of a zone that a device fetches by itself.
package enum AssetPolicyChoice: Sendable, Hashable {
    /// None, not even on request.
    case never
    /// None; a program requests them.
    case onDemand
    /// Those with at most so many bytes; a program requests larger ones.
    case upTo(UInt64)
    /// All.
    case always
}

/// The policy of a zone about assets.
package struct AssetPolicyView: Sendable, Hashable {
    /// The policy in force.
    package var policy: AssetPolicyChoice
    /// Whether the zone has none of its own, so that it is the default of the device.
    package var isDefault: Bool
    /// Whether the relays of the account keep the contents that are here.
    package var isKeptAtRelays: Bool

    /// Describes a policy.
    package init(policy: AssetPolicyChoice, isDefault: Bool, isKeptAtRelays: Bool = true) {
        (self.policy, self.isDefault, self.isKeptAtRelays) = (policy, isDefault, isKeptAtRelays)
    }
}

/// The reasons for the state of an asset on this device.
package struct AssetExplanationView: Sendable, Hashable {
    /// The id of the content.
    package var asset: PayloadID
    /// The size of the content in bytes.
    package var byteCount: UInt64
    /// The state of the content on this device.
    package var state: Asset.State
    /// The percentage of the content that is here, 0...100.
    package var percent: Int
    /// The records that name it and that the caller may see, at most 100; their zones by id.
    package var places: [AssetPlace]
    /// The reasons for the state, each a sentence for people.
    package var reasons: [String]
    /// The next step, for people; empty where nothing has to be done.
    package var fix: String
    /// The time since which no record names it, in milliseconds since 1970; `nil` while one does.
    package var unnamedSince: UInt64?
    /// The time at which this device drops it unless a record names it until then; `nil` while one does.
    package var keptUntil: UInt64?
    /// The end of this device's promise to keep it, in milliseconds since 1970; `nil` where it has made none.
    package var promisedUntil: UInt64?
    /// The answers of connected devices; `nil` where none was asked.
    package var holders: [AssetHolderView]?
    /// The machines that are known to hold the content; `nil` where that was not looked up.
    package var copies: AssetCopiesView?
    /// The relays that have promised to keep it, with the ends of their promises, by device.
    package var relays: [AssetRelayView]

    /// Describes an explanation.
    /// - Parameters: as the properties of the same names.
    package init(
        asset: PayloadID,
        byteCount: UInt64,
        state: Asset.State,
        percent: Int,
        places: [AssetPlace],
        reasons: [String],
        fix: String,
        unnamedSince: UInt64? = nil,
        keptUntil: UInt64? = nil,
        promisedUntil: UInt64? = nil,
        holders: [AssetHolderView]? = nil,
        copies: AssetCopiesView? = nil,
        relays: [AssetRelayView] = []
    ) {
        self.asset = asset
        self.byteCount = byteCount
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
}

/// The promise of a relay to keep the content of an asset.
package struct AssetRelayView: Sendable, Hashable {
    /// The relay.
    package var device: DeviceID
    /// The end of the promise, in milliseconds since 1970, by the relay's clock.
    package var until: UInt64

    /// Describes a promise.
    package init(device: DeviceID, until: UInt64) { (self.device, self.until) = (device, until) }
}

/// The assets on this device that no record names any more.
package struct AssetCollectionView: Sendable, Hashable {
    /// An asset that no record names.
    package struct Unnamed: Sendable, Hashable {
        /// The id of the content.
        package var asset: PayloadID
        /// The size of the content in bytes.
        package var byteCount: UInt64
        /// The time since which no record names it, in milliseconds since 1970.
        package var since: UInt64
        /// The time at which this device drops it, in milliseconds since 1970.
        package var until: UInt64

        /// Describes an asset.
        /// - Parameters: as the properties of the same names.
        package init(asset: PayloadID, byteCount: UInt64, since: UInt64, until: UInt64) {
            (self.asset, self.byteCount, self.since, self.until) = (asset, byteCount, since, until)
        }
    }

    /// The assets, the one without a record for the longest time first.
    package var assets: [Unnamed]
    /// The number of their bytes on this device.
    package var heldByteCount: UInt64
    /// The number of these assets that were dropped.
    package var droppedCount: Int

    /// Describes a collection.
    /// - Parameters: as the properties of the same names.
    package init(assets: [Unnamed], heldByteCount: UInt64, droppedCount: Int) {
        self.assets = assets
        self.heldByteCount = heldByteCount
        self.droppedCount = droppedCount
    }
}
