/// A link of an asset to a file on the daemon's machine that another program keeps.
public struct AssetLink: Sendable, Hashable, Codable {
    /// The knowledge of a linked file.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It has the content, as far as its times, its size and its number show.
        public static let sound = State(rawValue: "sound")
        /// It has other content.
        public static let changed = State(rawValue: "changed")
        /// Its times or its number have changed, and its content has not been compared since.
        public static let ambiguous = State(rawValue: "ambiguous")
        /// It is not there, or cannot be read.
        public static let missing = State(rawValue: "missing")
        /// The words that this version knows.
        public static let known: [State] = [.sound, .changed, .ambiguous, .missing]
    }

    /// The id of the content.
    public var asset: String
    /// The root of the daemon's configuration that the file is beneath.
    public var root: String
    /// The path of the file; bytes that are no text are replaced.
    public var file: String
    /// The number of bytes of the file when the daemon looked at it last.
    public var size: UInt64
    /// The knowledge of the file.
    public var state: State
    /// A record that names the content; `nil` where none does.
    public var place: Asset.Place?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        asset: String,
        root: String,
        file: String,
        size: UInt64,
        state: State,
        place: Asset.Place? = nil
    ) {
        self.asset = asset
        self.root = root
        self.file = file
        self.size = size
        self.state = state
        self.place = place
    }
}

/// A page of the links of a device; it may have none although more follow.
public struct AssetLinkPage: Sendable, Hashable, Codable {
    /// The links.
    public var links: [AssetLink]
    /// Continue with this cursor; `nil` at the end.
    public var cursor: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(links: [AssetLink], cursor: String? = nil) { (self.links, self.cursor) = (links, cursor) }
}

/// An asset that was made of a file, whose bytes stay where they are.
///
/// The daemon forgets it after a day unless a record names it.
public struct LinkedAsset: Sendable, Hashable, Codable {
    /// The id of the content, which ``AssetDescription/asset`` names.
    public var asset: String
    /// The zone that it was made for.
    public var zone: String
    /// The number of bytes.
    public var size: UInt64
    /// The path of the file.
    public var file: String

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(asset: String, zone: String, size: UInt64, file: String) {
        (self.asset, self.zone, self.size, self.file) = (asset, zone, size, file)
    }
}

extension AssetLink: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["place"]
}

extension AssetLinkPage: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["cursor"]
}
