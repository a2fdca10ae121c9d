/// An item of a log: an operation, or the gap that a pruned subtree leaves.
///
/// ```
/// +-------+---------------------------+
/// | tag 1 | 1 Operation, 3 SubtreeGap |
/// +-------+---------------------------+
/// ```
///
/// Closed: each kind says how its leaves are hashed, so an unknown one could not be verified anyway. Tag 2 stood for
/// the remains of a superseded operation (decision 59), and stays unused.
package enum LogItem: Hashable, Sendable {
    /// The operation itself.
    case operation(Operation)
    /// A subtree that everyone may prune under a checkpoint.
    case gap(SubtreeGap)

    /// The number of leaves that the item stands for.
    package var leafCount: UInt64 {
        switch self {
        case .operation: 1
        case .gap(let gap): gap.leafCount
        }
    }
}

extension LogItem: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .operation(let operation):
            writer.writeByte(1)
            writer.write(operation)
        case .gap(let gap):
            writer.writeByte(3)
            writer.write(gap)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readByte()
        switch tag {
        case 1: self = .operation(try Operation(from: &reader))
        case 3: self = .gap(try SubtreeGap(from: &reader))
        default: throw .unknownTag(UInt64(tag))
        }
    }

    /// The shortest encoding: a gap.
    static var byteCountMin: Int { 35 }
}
