public import FoundationEssentials

/// A write that is ignored, and waits for a person's decision.
public struct QuarantinedWrite: Sendable, Hashable, Codable {
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
    /// The reason why it is ignored: `above_cut`, `forked`, `out_of_right`, `out_of_schema` or `unsound`.
    public var reason: String
    /// The time of the write, by its author's clock.
    public var writtenAt: Date
    /// Bytes that it takes.
    public var size: Int

    enum CodingKeys: String, CodingKey {
        case id, zone, record, type, author, reason, size
        case isDeletion = "deletion"
        case writtenAt = "written_at"
    }
}
