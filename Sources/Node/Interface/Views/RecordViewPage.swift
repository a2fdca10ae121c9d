/// A page of records.
package struct RecordViewPage: Sendable {
    /// The records.
    package var records: [RecordView]
    /// Continue behind this name; `nil` at the end.
    package var next: String?

    /// Makes a page.
    package init(records: [RecordView], next: String?) {
        self.records = records
        self.next = next
    }
}
