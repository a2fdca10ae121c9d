package import Queries
package import Records
package import Wire

/// A page of the answer to a query.
package struct QueryPage: Sendable {
    /// The records in the order of the answer.
    package var records: [RecordRow]
    /// The position of the last one, or of the last one that was examined; `nil` when no more follow.
    package var next: QueryPosition?

    /// Bytes of the records in one page; a page that would have more ends earlier, and has one record at least.
    package static let byteCountMax = 8 << 20

    /// Fetches the chosen records, as many as one page may hold.
    /// - Parameters:
    ///   - selection: The chosen records.
    ///   - row: Fetches one record.
    /// - Throws: Any error of `row`.
    package init<Payload>(_ selection: QuerySelection<Payload>, row: (Payload) throws -> RecordRow) rethrows {
        let (choices, more) = selection.page
        records = []
        var byteCount = 0
        for choice in choices {
            let record = try row(choice.payload)
            byteCount += record.visibleByteCount
            if byteCount > Self.byteCountMax, !records.isEmpty { break }
            records.append(record)
        }
        let isCut = records.count < choices.count
        next = more || isCut ? choices[records.count - 1].position : selection.end
    }
}

extension QueryRecord {
    /// Makes the form of a record that queries use.
    /// - Parameters:
    ///   - body: Its content.
    ///   - milliseconds: The time at which it was last written.
    package init(_ body: RecordBody, modifiedMilliseconds milliseconds: UInt64) {
        var fields: [BytewiseString: FieldValue] = [:]
        fields.reserveCapacity(body.fields.count)
        var conflicts = 0
        for field in body.fields {
            if let winner = field.winner { fields[BytewiseString(field.name)] = winner.value }
            if field.hasConflict { conflicts += 1 }
        }
        self.init(
            name: body.name,
            type: body.type,
            creator: body.creator,
            modifier: body.modifier,
            modifiedMilliseconds: milliseconds,
            parent: body.parent,
            conflicts: conflicts,
            fields: fields
        )
    }
}
