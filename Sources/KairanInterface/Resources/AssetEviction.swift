public import FoundationEssentials

/// A device that was asked about the content of an asset, with its answer.
public struct AssetHolder: Sendable, Hashable, Codable {
    /// The answer of a device about the content of an asset, or the reason why there is none.
    public struct Answer: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It has promised to keep the content for about a day, as long as a record names it.
        public static let promised = Answer(rawValue: "promised")
        /// It has the content.
        public static let held = Answer(rawValue: "held")
        /// It does not have the content.
        public static let absent = Answer(rawValue: "absent")
        /// It is about to evict the content itself.
        public static let evicting = Answer(rawValue: "evicting")
        /// It could not answer now.
        public static let refused = Answer(rawValue: "refused")
        /// It has not answered in time.
        public static let silent = Answer(rawValue: "silent")
        /// Its program does not know the question.
        public static let unaware = Answer(rawValue: "unaware")
        /// The words that this version knows.
        public static let known: [Answer] = [.promised, .held, .absent, .evicting, .refused, .silent, .unaware]
    }

    /// The id of the device.
    public var device: String
    /// The id of the account that the device belongs to.
    public var account: String
    /// The answer.
    public var answer: Answer
    /// The end of the promise by the clock of that device; `nil` where it has made none.
    public var until: Date?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(device: String, account: String, answer: Answer, until: Date? = nil) {
        (self.device, self.account, self.answer, self.until) = (device, account, answer, until)
    }
}

/// The outcome of evicting the content of an asset from this device.
public struct AssetEviction: Sendable, Hashable, Codable {
    /// The id of the content.
    public var asset: String
    /// The state of the content on this device.
    public var state: Asset.State
    /// The number of bytes of the content that was dropped; 0 where it was not here.
    public var freed: UInt64
    /// The devices that were asked, with their answers.
    public var holders: [AssetHolder]

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(asset: String, state: Asset.State, freed: UInt64, holders: [AssetHolder]) {
        (self.asset, self.state, self.freed, self.holders) = (asset, state, freed, holders)
    }
}

extension AssetHolder: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["until"]
}
