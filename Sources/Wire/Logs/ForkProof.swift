/// Two signed heads of one log that cannot both be true, and how far the two histories are the same.
///
/// The log's author, or a copy of it, wrote two histories. Anyone can check the proof, no one can make it without the
/// author's key.
///
/// ```
/// +------------------+---------------+-------------------+
/// | forkPoint varint | forkRoot 32 B | splitPoint varint |     forkRoot is zero exactly when forkPoint is
/// +------------------+---------------+-------------------+
/// +----------------------+-----------+-----------------------+------------+
/// | first SignedTreeHead | its path  | second SignedTreeHead | its path   |   the first head's bytes sort first
/// +----------------------+-----------+-----------------------+------------+
/// path:  | shared: count × hash 32 B | split: count × hash 32 B |
/// ```
///
/// Both heads name the same log. Each path leads from its head to that tree's roots at the two points: the same one at
/// `forkPoint`, two different ones at `splitPoint`.
package struct ForkProof: Hashable, Sendable {
    /// The path from a head to its tree's roots at smaller sizes.
    package struct Path: Hashable, Sendable {
        /// The consistency proof from the fork point (RFC 6962 section 2.1.2, the older root always written out); empty
        /// for a fork point of zero.
        package var shared: [Hash]
        /// The same from the split point; empty when that is the head's own size.
        package var split: [Hash]

        /// A path; empty lists where nothing is to be shown.
        package init(shared: [Hash] = [], split: [Hash] = []) {
            self.shared = shared
            self.split = split
        }
    }

    /// Leaves that both histories share.
    package let forkPoint: UInt64
    /// The root at the fork point; zero for no leaves.
    package let forkRoot: Hash
    /// A size at which the two histories have different roots.
    package let splitPoint: UInt64
    /// The head whose bytes sort first.
    package let first: SignedTreeHead
    /// The path from the first head to its roots.
    package let firstPath: Path
    /// The head whose bytes sort second.
    package let second: SignedTreeHead
    /// The path from the second head to its roots.
    package let secondPath: Path

    /// Makes a proof, and sorts the heads.
    /// - Parameters:
    ///   - one: A head and its path.
    ///   - other: Another head of the same log and its path.
    ///   - forkPoint: Leaves that both share.
    ///   - forkRoot: The root there; zero for no leaves.
    ///   - splitPoint: A size at which their roots differ; nil for the smaller of the heads' sizes.
    package init(
        _ one: (head: SignedTreeHead, path: Path),
        _ other: (head: SignedTreeHead, path: Path),
        forkPoint: UInt64,
        forkRoot: Hash,
        splitPoint: UInt64? = nil
    ) {
        let isOrdered = one.head.bodyBytes.lexicographicallyPrecedes(other.head.bodyBytes)
        (first, firstPath) = isOrdered ? one : other
        (second, secondPath) = isOrdered ? other : one
        self.forkPoint = forkPoint
        self.forkRoot = forkRoot
        self.splitPoint = splitPoint ?? min(one.head.head.size, other.head.head.size)
    }

    /// A proof from two heads alone, which are of one size: nothing is known to be shared.
    package init(_ one: SignedTreeHead, _ other: SignedTreeHead) {
        self.init((one, Path()), (other, Path()), forkPoint: 0, forkRoot: .zero)
    }
}

extension ForkProof.Path: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeList(shared)
        writer.writeList(split)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        shared = try Self.hashes(from: &reader)
        split = try Self.hashes(from: &reader)
    }

    private static func hashes(from reader: inout WireReader) throws(WireError) -> [Hash] {
        try reader.readList(maximum: Limits.forkEvidenceCountMax, itemByteCountMin: Digest32.byteCount)
    }
}

extension ForkProof: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeVarint(forkPoint)
        writer.write(forkRoot)
        writer.writeVarint(splitPoint)
        writer.write(first)
        writer.write(firstPath)
        writer.write(second)
        writer.write(secondPath)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        forkPoint = try reader.readCounter(minimum: 0)
        forkRoot = try Hash(from: &reader)
        splitPoint = try reader.readCounter(minimum: 1)
        first = try SignedTreeHead(from: &reader)
        firstPath = try Path(from: &reader)
        second = try SignedTreeHead(from: &reader)
        secondPath = try Path(from: &reader)
        guard first.head.isSameLog(as: second.head) else { throw .invalidValue("fork heads") }
        guard first.bodyBytes.lexicographicallyPrecedes(second.bodyBytes) else { throw .notAscending }
        guard forkPoint < splitPoint, (forkPoint == 0) == forkRoot.isZero else { throw .invalidValue("fork point") }
        guard splitPoint <= min(first.head.size, second.head.size) else { throw .invalidValue("split point") }
        for (signed, path) in [(first, firstPath), (second, secondPath)] {
            guard path.shared.isEmpty == (forkPoint == 0), path.split.isEmpty == (splitPoint == signed.head.size) else {
                throw .invalidValue("fork path")
            }
        }
        // Two heads of one size and one root differ in another statement; that is no second history.
        let isOneSize = first.head.size == second.head.size
        guard !isOneSize || first.head.root != second.head.root else { throw .invalidValue("fork roots") }
    }
}
