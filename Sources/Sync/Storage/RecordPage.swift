package import Records

/// A page of records in the order of their names.
package struct RecordPage: Sendable {
    /// The rows, ascending by name.
    package var records: [RecordRow]
    /// Whether more follow.
    package var more: Bool

    /// Makes a page.
    package init(records: [RecordRow], more: Bool) {
        self.records = records
        self.more = more
    }
}
