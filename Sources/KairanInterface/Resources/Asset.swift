public import FoundationEssentials

/// An asset of a record: its place, its description, and its state on this device.
public struct Asset: Sendable, Hashable, Codable {
    /// The state of an asset's content on this device.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It is not here, and the device does not fetch it by itself.
        public static let remote = State(rawValue: "remote")
        /// The device fetches it as soon as it can, and nothing of it is here.
        public static let queued = State(rawValue: "queued")
        /// The device is fetching it, and a part of it is here.
        public static let partial = State(rawValue: "partial")
        /// All of it is here.
        public static let present = State(rawValue: "present")
        /// It was here, and was dropped on request; it can be fetched again.
        public static let evicted = State(rawValue: "evicted")
        /// The device wants it, and no device that may hold it is connected.
        public static let unresolved = State(rawValue: "unresolved")
        /// The device wants it, and every connected device that may hold it has answered that it lacks it.
        public static let missing = State(rawValue: "missing")
        /// The words that this version knows.
        public static let known: [State] = [
            .remote, .queued, .partial, .present, .evicted, .unresolved, .missing,
        ]
    }

    /// The place of an asset: a field of a record, or an item of that field.
    public struct Place: Sendable, Hashable, Codable {
        /// The zone of the record: its id, or in a request its unique name.
        public var zone: String
        /// The name of the record.
        @Name public var record: String
        /// The field of the record.
        @Name public var field: String
        /// The index in the field's list or set; `nil` where the field itself is the asset.
        ///
        /// The elements of a list in the list are counted in its place.
        public var item: Int?

        /// Names a place.
        public init(zone: String, record: String, field: String, item: Int? = nil) {
            self.zone = zone
            self.record = record
            self.field = field
            self.item = item
        }
    }

    /// The id of the content.
    public var asset: String
    /// The zone of the record.
    public var zone: String
    /// The name of the record.
    @Name public var record: String
    /// The field of the record.
    @Name public var field: String
    /// The index in the field's list or set; `nil` where the field itself is the asset.
    public var item: Int?
    /// The number of bytes of the content.
    public var size: UInt64
    /// The media type of the content; `nil` where none is stated.
    public var mediaType: String?
    /// The name of the file; `nil` where none is stated.
    public var name: String?
    /// The time of the last change of the file; `nil` where none is stated.
    public var modifiedAt: Date?
    /// The state of the content on this device.
    public var state: State
    /// The percentage of the content that is here, 0...100.
    public var percent: Int
    /// The machines that are known to have the content; `nil` where the daemon does not say.
    public var copies: AssetCopies?
    /// The names of the relays of the account that have promised to keep the content; `nil` where none has.
    public var relays: [String]?

    /// Whether the content is in files of this machine that other programs keep, and not stored by the daemon; `nil` for no.
    public var linked: Bool?
    /// The paths of these files; `nil` where there are none that this program may see.
    public var files: [String]?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        asset: String,
        zone: String,
        record: String,
        field: String,
        item: Int? = nil,
        size: UInt64,
        mediaType: String? = nil,
        name: String? = nil,
        modifiedAt: Date? = nil,
        state: State,
        percent: Int,
        copies: AssetCopies? = nil,
        relays: [String]? = nil,
        linked: Bool? = nil,
        files: [String]? = nil
    ) {
        self.asset = asset
        self.zone = zone
        self.record = record
        self.field = field
        self.item = item
        self.size = size
        self.mediaType = mediaType
        self.name = name
        self.modifiedAt = modifiedAt
        self.state = state
        self.percent = percent
        self.copies = copies
        self.relays = relays
        self.linked = linked
        self.files = files
    }

    enum CodingKeys: String, CodingKey {
        case asset, zone, record, field, item, size
        case mediaType = "media_type"
        case name
        case modifiedAt = "modified_at"
        case state, percent, copies, relays, linked, files
    }
}

/// A page of a zone's assets, in the order of their records; it may have none although more follow.
public struct AssetPage: Sendable, Hashable, Codable {
    /// The assets.
    public var assets: [Asset]
    /// Continue with this cursor; `nil` at the end.
    public var cursor: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(assets: [Asset], cursor: String? = nil) {
        (self.assets, self.cursor) = (assets, cursor)
    }
}

/// Content that was uploaded for an asset of a zone's record.
///
/// The daemon deletes it after a day unless a record names it.
public struct UploadedAsset: Sendable, Hashable, Codable {
    /// The id of the content, which ``AssetDescription/asset`` names.
    public var asset: String
    /// The zone that it was uploaded for.
    public var zone: String
    /// The number of bytes.
    public var size: UInt64

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(asset: String, zone: String, size: UInt64) {
        (self.asset, self.zone, self.size) = (asset, zone, size)
    }
}

/// Another state of an asset on this device.
public struct AssetChange: Sendable, Hashable, Codable {
    /// A zone that has a record with the asset.
    public var zone: String
    /// The id of the content.
    public var asset: String
    /// The state of the content now.
    public var state: Asset.State
    /// The percentage of the content that is here, 0...100.
    public var percent: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, asset: String, state: Asset.State, percent: Int) {
        (self.zone, self.asset, self.state, self.percent) = (zone, asset, state, percent)
    }
}

extension Asset {
    /// The place that names it.
    public var place: Place { Place(zone: zone, record: record, field: field, item: item) }
}

extension Asset.Place: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["item"]
}

extension Asset: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = [
        "item", "media_type", "name", "modified_at", "copies", "relays", "linked", "files",
    ]
}

extension AssetPage: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["cursor"]
}
