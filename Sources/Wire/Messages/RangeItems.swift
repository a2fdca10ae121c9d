/// One zone as both sides may name it without telling a stranger which.
///
/// ```
/// +---------------------+------------+
/// | blinded zone 32 B   | state 32 B |
/// +---------------------+------------+
/// ```
package struct RangeItem: Hashable, Sendable {
    /// Hash of the zone's id and the session.
    package var zone: Hash
    /// Digest of the zone's logs and checkpoint.
    package var state: Hash

    /// Makes an item.
    package init(zone: Hash, state: Hash) {
        self.zone = zone
        self.state = state
    }
}

/// All zones of one range.
///
/// ```
/// +--------------+--------------+-------------------+
/// | NibblePrefix | count varint | count × RangeItem |   zones strictly ascending, all with the prefix
/// +--------------+--------------+-------------------+
/// ```
package struct ItemRange: Hashable, Sendable {
    /// The prefix of the hashes.
    package let prefix: NibblePrefix
    /// The zones, ascending by blinded hash.
    package let items: [RangeItem]

    /// Makes a range, and sorts the items.
    /// - Parameters:
    ///   - prefix: The prefix of the hashes.
    ///   - items: Zones whose blinded hash has the prefix, at most one of each.
    package init(prefix: NibblePrefix, items: [RangeItem]) {
        self.prefix = prefix
        self.items = items.inWireOrder()
    }
}

/// The zones of small ranges in which both sides differ.
///
/// ```
/// +--------------+-------------------+-----------+
/// | count varint | count × ItemRange | isReply 1 |   prefixes strictly ascending, at most 4,096 items in all
/// +--------------+-------------------+-----------+
/// ```
package struct RangeItems: Hashable, Sendable {
    /// The ranges, ascending by prefix.
    package let ranges: [ItemRange]
    /// Whether it answers such a message, and so wants no answer itself.
    package let isReply: Bool

    /// Makes a message, and sorts the ranges.
    package init(ranges: [ItemRange], isReply: Bool) {
        self.ranges = ranges.inWireOrder()
        self.isReply = isReply
    }
}

extension RangeItem: WireCodable, WireOrdered {
    package var orderKey: Hash { zone }

    package func encode(into writer: inout WireWriter) {
        writer.write(zone)
        writer.write(state)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        zone = try Hash(from: &reader)
        state = try Hash(from: &reader)
    }
}

extension ItemRange: WireCodable, WireOrdered {
    package var orderKey: NibblePrefix { prefix }

    package func encode(into writer: inout WireWriter) {
        writer.write(prefix)
        writer.writeList(items)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let prefix = try NibblePrefix(from: &reader)
        self.prefix = prefix
        items = try reader.readAscending(
            maximum: Limits.rangeItemCountMax,
            itemByteCountMin: 2 * Digest32.byteCount
        )
        guard items.allSatisfy({ prefix.matches($0.zone) }) else { throw .invalidValue("range item") }
    }
}

extension RangeItems: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(ranges)
        writer.writeBool(isReply)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        ranges = try reader.readAscending(maximum: Limits.rangeCountMax, itemByteCountMin: 2)
        let itemCount = ranges.reduce(0) { $0 + $1.items.count }
        guard itemCount <= Limits.rangeItemCountMax else { throw .tooLong(limit: Limits.rangeItemCountMax) }
        isReply = try reader.readBool()
    }
}
