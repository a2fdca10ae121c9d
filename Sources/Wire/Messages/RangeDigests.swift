/// The digest of all zones whose blinded hash begins with a prefix.
///
/// ```
/// +--------------+------------------+-------------+
/// | NibblePrefix | itemCount varint | digest 32 B |
/// +--------------+------------------+-------------+
/// ```
package struct RangeDigest: Hashable, Sendable {
    /// The prefix of the hashes.
    package var prefix: NibblePrefix
    /// The number of zones in the range.
    package var itemCount: UInt32
    /// Hash over the zones' items.
    package var digest: Hash

    /// Makes a digest.
    package init(prefix: NibblePrefix, itemCount: UInt32, digest: Hash) {
        self.prefix = prefix
        self.itemCount = itemCount
        self.digest = digest
    }
}

/// Digests of ranges to compare; the receiver answers where its own differ.
///
/// ```
/// +--------------+----------------------+
/// | count varint | count × RangeDigest  |   prefixes strictly ascending, at most 1,024
/// +--------------+----------------------+
/// ```
package struct RangeDigests: Hashable, Sendable {
    /// The ranges, ascending by prefix.
    package let ranges: [RangeDigest]

    /// Makes a message, and sorts the ranges.
    package init(ranges: [RangeDigest]) {
        self.ranges = ranges.inWireOrder()
    }
}

extension RangeDigest: WireCodable, WireOrdered {
    package var orderKey: NibblePrefix { prefix }

    package func encode(into writer: inout WireWriter) {
        writer.write(prefix)
        writer.writeVarint(UInt64(itemCount))
        writer.write(digest)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        prefix = try NibblePrefix(from: &reader)
        guard let itemCount = UInt32(exactly: try reader.readVarint()) else { throw .invalidValue("itemCount") }
        self.itemCount = itemCount
        digest = try Hash(from: &reader)
    }
}

extension RangeDigests: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(ranges)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        ranges = try reader.readAscending(maximum: Limits.rangeCountMax, itemByteCountMin: 34)
    }
}
