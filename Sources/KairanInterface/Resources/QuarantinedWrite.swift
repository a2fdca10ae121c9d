public import FoundationEssentials

/// A write that is ignored, and waits for a person's decision.
public struct QuarantinedWrite: Sendable, Hashable, Codable {
    /// The reason why a write is ignored.
    public struct Reason: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It was written after its device or its right was removed.
        public static let aboveCut = Reason(rawValue: "above_cut")
        /// It is on one history of a log that has two; it is restated without a decision.
        public static let forked = Reason(rawValue: "forked")
        /// It is outside of what its author may write.
        public static let outOfRight = Reason(rawValue: "out_of_right")
        /// It breaks the schema in force, which its author had seen.
        public static let outOfSchema = Reason(rawValue: "out_of_schema")
        /// The sealed content is no record, or that of another write.
        public static let unsound = Reason(rawValue: "unsound")
        /// The words that this version knows.
        public static let known: [Reason] = [.aboveCut, .forked, .outOfRight, .outOfSchema, .unsound]
    }

    /// The id of the write within its zone.
    public var id: String
    /// Its zone.
    public var zone: String
    /// The record's name.
    public var record: String
    /// The record's type.
    public var type: String
    /// Whether it deletes the record.
    public var isDeletion: Bool
    /// The device that wrote it.
    public var author: String
    /// The reason why it is ignored.
    public var reason: Reason
    /// The time of the write, by its author's clock.
    public var writtenAt: Date
    /// Bytes that it takes.
    public var size: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        id: String,
        zone: String,
        record: String,
        type: String,
        isDeletion: Bool,
        author: String,
        reason: Reason,
        writtenAt: Date,
        size: Int
    ) {
        self.id = id
        self.zone = zone
        self.record = record
        self.type = type
        self.isDeletion = isDeletion
        self.author = author
        self.reason = reason
        self.writtenAt = writtenAt
        self.size = size
    }

    enum CodingKeys: String, CodingKey {
        case id, zone, record, type
        case isDeletion = "deletion"
        case author, reason
        case writtenAt = "written_at"
        case size
    }
}
