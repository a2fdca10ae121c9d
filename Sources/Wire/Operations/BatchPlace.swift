/// An operation's place among the operations that are applied together or not at all.
///
/// ```
/// +--------------+--------------+
/// | index varint | count varint |   index < count, 1 ≤ count ≤ 1,024
/// +--------------+--------------+
/// ```
package struct BatchPlace: Hashable, Sendable {
    /// The place, from 0.
    package let index: UInt32
    /// The number of operations in the batch.
    package let count: UInt32

    /// Makes a place.
    /// - Parameters:
    ///   - index: 0..<count.
    ///   - count: 1...`Limits.batchOperationCountMax`. Receivers refuse anything else.
    package init(index: UInt32, count: UInt32) {
        self.index = index
        self.count = count
    }

    /// An operation on its own.
    package static let single = BatchPlace(index: 0, count: 1)

    /// Whether the batch ends here.
    package var isLast: Bool { index &+ 1 == count }
}

extension BatchPlace: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeVarint(UInt64(index))
        writer.writeVarint(UInt64(count))
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let index = try reader.readVarint()
        let count = try reader.readVarint()
        guard count <= UInt64(Limits.batchOperationCountMax), index < count else { throw .invalidValue("batch") }
        self.index = UInt32(index)
        self.count = UInt32(count)
    }
}
