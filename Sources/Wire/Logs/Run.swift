/// The next stretch of a log, from where the receiver stands to a signed head.
///
/// ```
/// +----------------+-------------+-----------------+--------------+-------------------+
/// | SignedTreeHead | from varint | checkpoint 32 B | count varint | count × LogItem   |
/// +----------------+-------------+-----------------+--------------+-------------------+
/// ```
///
/// The items cover the leaves from..<head.size in order; the verifier of the run checks that, and everything about
/// hashes. At most 16,384 items in 16 MiB.
package struct Run: Hashable, Sendable {
    /// The head that the items lead to.
    package var signedHead: SignedTreeHead
    /// The first leaf of the items: the size that the receiver holds.
    package var from: UInt64
    /// The checkpoint that allows the gaps; zero when there are none.
    package var checkpoint: Hash
    /// The leaves in order.
    package var items: [LogItem]

    /// Makes a run.
    /// - Parameters: as the properties of the same names.
    package init(signedHead: SignedTreeHead, from: UInt64, checkpoint: Hash, items: [LogItem]) {
        self.signedHead = signedHead
        self.from = from
        self.checkpoint = checkpoint
        self.items = items
    }
}

extension Run {
    /// Whether it shows the hashes of a whole log instead of its operations: to a peer that seems to hold another
    /// history.
    package var isSkeleton: Bool {
        from == 0 && checkpoint.isZero && !items.isEmpty
            && items.allSatisfy { if case .gap = $0 { true } else { false } }
    }

    /// The size of its encoding, near enough for a window: 150 bytes a header and 42 an entry of a vector.
    /// - Complexity: O(items).
    package var approximateByteCount: Int {
        items.reduce(256 + 42 * signedHead.head.seen.entries.count) { sum, item in
            guard case .operation(let operation) = item else { return sum + 128 }
            return sum + 150 + 42 * operation.header.vector.entries.count + operation.body.count
        }
    }
}

extension Run: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(signedHead)
        writer.writeVarint(from)
        writer.write(checkpoint)
        writer.writeList(items)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let start = reader.position
        signedHead = try SignedTreeHead(from: &reader)
        from = try reader.readCounter(minimum: 0)
        guard from < signedHead.head.size else { throw .invalidValue("from") }
        checkpoint = try Hash(from: &reader)
        let count = try reader.readCount(
            maximum: Limits.runItemCountMax,
            itemByteCountMin: LogItem.byteCountMin
        )
        items = []
        items.reserveCapacity(count)
        for _ in 0..<count {
            items.append(try LogItem(from: &reader))
            guard reader.count(since: start) <= Limits.runByteCountMax else {
                throw .tooLong(limit: Limits.runByteCountMax)
            }
        }
    }
}
