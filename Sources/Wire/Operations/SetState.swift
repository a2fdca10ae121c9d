/// A set that concurrent writes can add to and remove from: each element with the writes that added it.
///
/// An element is in the set while one of its dots is there; a removal drops the dots that its author has seen, so an
/// addition made at the same time stays (observed-remove set).
/// Source: Bieniusa et al., "An optimized conflict-free replicated set", 2012.
///
/// ```
/// +--------------+-----------------------------------------------------------+
/// | count varint | count × (element: FieldValue, dots: count varint, Dot …)  |
/// +--------------+-----------------------------------------------------------+
///   elements strictly ascending by their encoded bytes, dots strictly ascending and at least one
/// ```
///
/// Elements are neither lists, sets nor counters.
package struct SetState: Hashable, Sendable {
    /// One element.
    package struct Entry: Hashable, Sendable {
        /// The element.
        package var element: FieldValue
        /// The writes that added it, strictly ascending, at least one.
        package var dots: [Dot]

        /// Makes an entry, and sorts the dots.
        package init(element: FieldValue, dots: [Dot]) {
            self.element = element
            self.dots = dots.inWireOrder()
        }
    }

    /// The elements in the order of their encodings.
    package let entries: [Entry]

    /// Takes over entries in any order, at most one an element.
    /// - Complexity: O(n log n).
    package init(entries: [Entry]) {
        let keyed = entries.map { (key: $0.element.encoded, entry: $0) }
        self.entries = keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.entry)
    }
}

extension SetState: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeCount(entries.count)
        for entry in entries {
            writer.write(entry.element)
            writer.writeList(entry.dots)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let count = try reader.readCount(
            maximum: Limits.setElementCountMax,
            itemByteCountMin: Dot.byteCountMin + 3
        )
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        var previous = 0..<0
        for index in 0..<count {
            let start = reader.position
            let element = try FieldValue(from: &reader)
            guard element.isSetElement else { throw .invalidValue("set element") }
            let current = start..<reader.position
            guard index == 0 || reader.areBytesAscending(previous, current) else { throw .notAscending }
            previous = current
            let dots: [Dot] = try reader.readAscending(
                maximum: Limits.elementDotCountMax,
                itemByteCountMin: Dot.byteCountMin
            )
            guard !dots.isEmpty else { throw .invalidValue("set dots") }
            entries.append(Entry(element: element, dots: dots))
        }
        self.entries = entries
    }
}
