/// A page of records in the order of their names; it may have none although more follow.
public struct RecordPage: Sendable, Hashable, Codable {
    /// The records.
    public var records: [Record]
    /// Continue behind this name; `nil` at the end.
    public var next: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(records: [Record], next: String?) {
        (self.records, self.next) = (records, next)
    }

    enum CodingKeys: String, CodingKey {
        case records, next
    }
}
