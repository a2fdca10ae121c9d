package import Queries

/// A question of a program about the records of one zone.
package struct QueryRequest: Sendable {
    /// The question.
    package var query: Query
    /// The cursor from the page before; `nil` from the beginning.
    package var cursor: String?
    /// The records of a page.
    package var limit: Int
    /// The fields that the answer has; `nil` = all.
    package var desiredKeys: DesiredKeys?
    /// Whether records that daemons write by themselves may be asked for.
    package var showsInternal: Bool

    /// Makes a question.
    package init(
        query: Query,
        cursor: String? = nil,
        limit: Int = 200,
        desiredKeys: DesiredKeys? = nil,
        showsInternal: Bool = false
    ) {
        self.query = query
        self.cursor = cursor
        self.limit = limit
        self.desiredKeys = desiredKeys
        self.showsInternal = showsInternal
    }
}

/// A page of the answer to a query.
package struct QueryView: Sendable {
    /// The records in the order that was asked for.
    package var records: [RecordView]
    /// The cursor of the next page; `nil` at the end.
    package var cursor: String?

    /// Makes a page.
    package init(records: [RecordView], cursor: String?) {
        self.records = records
        self.cursor = cursor
    }
}
