/// Two signed heads of one log that cannot both be true: the log's author, or a copy of it, wrote two histories.
///
/// Anyone can check it, no one can make it without the author's key.
///
/// ```
/// +----------------------+-----------------------+------------------+--------------+-------------------+
/// | first SignedTreeHead | second SignedTreeHead | forkPoint varint | count varint | count × hash 32 B |
/// +----------------------+-----------------------+------------------+--------------+-------------------+
/// ```
///
/// Both heads name the same log, and the first one's bytes sort before the second's. Heads of one size with unequal
/// roots need no evidence. For unequal sizes the evidence is a consistency proof (RFC 6962 section 2.1.2, the older
/// root always written out) from the shorter size to the longer head's root: it shows that the longer log's prefix
/// has another root than the shorter head claims.
package struct ForkProof: Hashable, Sendable {
    /// The head whose bytes sort first.
    package let first: SignedTreeHead
    /// The head whose bytes sort second.
    package let second: SignedTreeHead
    /// How many leaves both histories are known to share; 0 when nothing is known.
    package let forkPoint: UInt64
    /// The consistency proof; empty for heads of one size.
    package let evidence: [Hash]

    /// Makes a proof; the heads are put in order.
    /// - Parameters:
    ///   - one: A head.
    ///   - other: Another head of the same log.
    ///   - forkPoint: How many leaves both share for certain; at most the shorter size.
    ///   - evidence: The consistency proof; empty for heads of one size.
    package init(_ one: SignedTreeHead, _ other: SignedTreeHead, forkPoint: UInt64 = 0, evidence: [Hash] = []) {
        let isOrdered = one.headBytes.lexicographicallyPrecedes(other.headBytes)
        first = isOrdered ? one : other
        second = isOrdered ? other : one
        self.forkPoint = forkPoint
        self.evidence = evidence
    }

    /// The head of the smaller size (the first for equal sizes).
    package var shorter: SignedTreeHead {
        second.head.size < first.head.size ? second : first
    }

    /// The head of the larger size (the second for equal sizes).
    package var longer: SignedTreeHead {
        second.head.size < first.head.size ? first : second
    }
}

extension ForkProof: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(first)
        writer.write(second)
        writer.writeVarint(forkPoint)
        writer.writeList(evidence)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        first = try SignedTreeHead(from: &reader)
        second = try SignedTreeHead(from: &reader)
        guard first.head.isSameLog(as: second.head) else { throw .invalidValue("fork heads") }
        guard first.headBytes.lexicographicallyPrecedes(second.headBytes) else { throw .notAscending }
        forkPoint = try reader.readCounter(minimum: 0)
        guard forkPoint <= min(first.head.size, second.head.size) else { throw .invalidValue("forkPoint") }
        evidence = try reader.readList(
            maximum: Limits.forkEvidenceCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        let isOneSize = first.head.size == second.head.size
        guard isOneSize == evidence.isEmpty else { throw .invalidValue("fork evidence") }
        // Two heads of one size and one root differ in something else that they say; that is no second history.
        guard !isOneSize || first.head.root != second.head.root else { throw .invalidValue("fork roots") }
    }
}
