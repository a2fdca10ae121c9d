/// A page of the live set under the checkpoint that the sender has adopted.
///
/// ```
/// +-----------+-----------------+------------------------------------------------+----------+
/// | zone 32 B | checkpoint 32 B | records: count × (tag 32 B, dots: count × Dot) | isLast 1 |
/// +-----------+-----------------+------------------------------------------------+----------+
/// ```
///
/// Records and dots are strictly ascending, each record has at least one dot, all together at most
/// `Limits.liveSetDotCountMax`. A page that is not the last has at least `Limits.liveSetPageDotCountMin`. A
/// checkpoint of zero means that the sender has no page to give: it has adopted no checkpoint, or another one by now.
package struct LiveSetPage: Hashable, Sendable {
    /// The live operations of one record.
    package struct Record: Hashable, Sendable {
        /// The record.
        package let tag: RecordTag
        /// The operations, ascending.
        package let dots: [Dot]

        /// Names the live operations of a record.
        /// - Parameters:
        ///   - tag: The record.
        ///   - dots: At least one, strictly ascending.
        package init(tag: RecordTag, dots: [Dot]) {
            (self.tag, self.dots) = (tag, dots)
        }
    }

    /// The zone.
    package let zone: ZoneID
    /// The checkpoint; zero when the sender has no page to give.
    package let checkpoint: Hash
    /// The records, ascending by tag.
    package let records: [Record]
    /// Whether no record follows.
    package let isLast: Bool

    /// Makes a page.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - checkpoint: The checkpoint.
    ///   - records: Strictly ascending by tag, with as many operations as a page has to have.
    ///   - isLast: Whether none follows.
    package init(zone: ZoneID, checkpoint: Hash, records: [Record], isLast: Bool) {
        (self.zone, self.checkpoint, self.records, self.isLast) = (zone, checkpoint, records, isLast)
    }

    /// States that the sender has no page to give.
    package init(nothingOf zone: ZoneID) {
        self.init(zone: zone, checkpoint: .zero, records: [], isLast: true)
    }
}

extension LiveSetPage: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(checkpoint)
        writer.writeList(records)
        writer.writeBool(isLast)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try ZoneID(from: &reader)
        checkpoint = try Hash(from: &reader)
        let limit = Limits.liveSetDotCountMax
        records = try reader.readAscending(maximum: limit, itemByteCountMin: Record.byteCountMin)
        let count = records.reduce(0) { $0 + $1.dots.count }
        guard count <= limit else { throw .tooLong(limit: limit) }
        isLast = try reader.readBool()
        guard isLast || count >= Limits.liveSetPageDotCountMin else { throw .invalidValue("a short page") }
        guard !checkpoint.isZero || records.isEmpty else { throw .invalidValue("records under no checkpoint") }
    }
}

extension LiveSetPage.Record: WireCodable {
    /// The shortest encoding: a tag, a count and a dot.
    fileprivate static var byteCountMin: Int { Digest32.byteCount + 1 + Dot.byteCountMin }

    package func encode(into writer: inout WireWriter) {
        writer.write(tag)
        writer.writeList(dots)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        tag = try RecordTag(from: &reader)
        dots = try reader.readAscending(maximum: Limits.liveSetDotCountMax, itemByteCountMin: Dot.byteCountMin)
        guard !dots.isEmpty else { throw .invalidValue("a record of which nothing is live") }
    }
}

extension LiveSetPage.Record: WireOrdered {
    package var orderKey: RecordTag { tag }
}
