/// The hash of a whole subtree whose leaves are no longer kept.
///
/// ```
/// +---------+--------------+-----------+
/// | level 1 | index varint | hash 32 B |   covers leaves [index << level, (index + 1) << level)
/// +---------+--------------+-----------+
/// ```
package struct SubtreeGap: Hashable, Sendable {
    /// The subtree has 2^level leaves; 0...62.
    package let level: UInt8
    /// The subtree's place among those of its level.
    package let index: UInt64
    /// The subtree's root.
    package let hash: Hash

    /// Makes a gap.
    /// - Parameters:
    ///   - level: 0...`Limits.subtreeLevelMax`.
    ///   - index: Such that no leaf lies beyond `Limits.counterMax`; see `isInRange(level:index:)`.
    ///   - hash: The subtree's root.
    /// - Precondition: level and index are in range.
    package init(level: UInt8, index: UInt64, hash: Hash) {
        precondition(Self.isInRange(level: level, index: index), "a subtree must lie within 2^62 leaves")
        self.level = level
        self.index = index
        self.hash = hash
    }

    /// Whether a subtree ends at or before `Limits.counterMax` leaves, so that its range can be computed.
    package static func isInRange(level: UInt8, index: UInt64) -> Bool {
        level <= Limits.subtreeLevelMax && index < Limits.counterMax >> UInt64(level)
    }

    /// The first leaf covered.
    package var firstLeaf: UInt64 { index << UInt64(level) }

    /// The number of leaves covered.
    package var leafCount: UInt64 { 1 << UInt64(level) }

    /// The leaf behind the last one covered.
    package var endLeaf: UInt64 { firstLeaf + leafCount }
}

extension SubtreeGap: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(level)
        writer.writeVarint(index)
        writer.write(hash)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        level = try reader.readByte()
        index = try reader.readVarint()
        guard Self.isInRange(level: level, index: index) else { throw .invalidValue("subtree") }
        hash = try Hash(from: &reader)
    }
}
