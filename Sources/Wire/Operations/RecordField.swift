/// A field of a record: its name and the values that survive.
///
/// ```
/// +-------------+--------------+----------------------+
/// | name string | count varint | count × FieldEntry   |   1 ≤ count ≤ 64, strictly ascending by dot, time, value
/// +-------------+--------------+----------------------+
/// ```
package struct RecordField: Sendable {
    /// The name, 1...255 bytes.
    package let name: String
    /// The values, ascending by dot; more than one = concurrent writes that are not resolved yet.
    ///
    /// One dot has several values only where its author's log forked.
    package let entries: [FieldEntry]

    /// Makes a field, and sorts the entries.
    /// - Parameters:
    ///   - name: 1...255 bytes of UTF-8.
    ///   - entries: 1...64 of them.
    package init(name: String, entries: [FieldEntry]) {
        self.name = name
        self.entries = entries.inWireOrder()
    }
}

extension RecordField: Hashable {
    /// Whether both have the same encoding.
    package static func == (left: Self, right: Self) -> Bool {
        left.name.isBytewiseEqual(to: right.name) && left.entries == right.entries
    }

    /// Feeds name and entries.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(BytewiseString(name))
        hasher.combine(entries)
    }
}

extension RecordField: WireCodable, WireOrdered {
    package var orderKey: BytewiseString { BytewiseString(name) }

    package func encode(into writer: inout WireWriter) {
        writer.writeString(name)
        writer.writeList(entries)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        name = try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
        entries = try reader.readAscending(
            maximum: Limits.fieldEntryCountMax,
            itemByteCountMin: FieldEntry.byteCountMin
        )
        guard !entries.isEmpty else { throw .invalidValue("field entries") }
    }

    /// The shortest encoding.
    static var byteCountMin: Int { 3 + FieldEntry.byteCountMin }
}
