/// The records of one type in a zone, in the order of their names, fetched in pages while they are read.
///
/// A record that changes meanwhile occurs in its old or new state; one that exists all the time is not left out.
public struct RecordSequence<Value: RecordContent>: AsyncSequence, Sendable {
    /// One record.
    public typealias Element = TypedRecord<Value>

    let zone: RecordZone

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(zone: zone) }

    /// Reads record by record.
    public struct Iterator: AsyncIteratorProtocol {
        let zone: RecordZone
        private var page: [Record] = []
        private var position = 0
        private var next: String?
        private var isLastPage = false

        init(zone: RecordZone) { self.zone = zone }

        /// The next record.
        /// - Throws: ``KairanError``, also when a record of the type does not fit; `CancellationError`.
        public mutating func next() async throws -> TypedRecord<Value>? {
            while true {
                while position < page.count {
                    let record = page[position]
                    position += 1
                    if record.type.isSameName(as: Value.recordType) { return try TypedRecord(record) }
                }
                if isLastPage { return nil }
                let fetched = try await zone.records(after: next, limit: 1000)
                page = fetched.records
                position = 0
                next = fetched.next
                isLastPage = fetched.next == nil
            }
        }
    }
}
