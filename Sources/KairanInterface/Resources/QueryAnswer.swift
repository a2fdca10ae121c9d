/// A page of the answer to a query.
public struct QueryAnswer: Sendable, Hashable, Codable {
    /// The records in the order that was asked for.
    public var records: [Record]
    /// Pass it with the same query for the next page; `nil` at the end.
    public var cursor: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(records: [Record], cursor: String?) {
        (self.records, self.cursor) = (records, cursor)
    }

    enum CodingKeys: String, CodingKey {
        case records, cursor
    }
}
