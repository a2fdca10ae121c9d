/// What stands in one place of a log.
///
/// ```
/// +-------+----------------------------------+
/// | tag 1 | 1 Operation, 2 Stub, 3 SubtreeGap |
/// +-------+----------------------------------+
/// ```
///
/// Closed: each kind says how its leaves are hashed, so an unknown one could not be verified anyway.
package enum LogItem: Hashable, Sendable {
    /// The operation itself.
    case operation(Operation)
    /// What a superseded operation left.
    case stub(Stub)
    /// A subtree that a checkpoint lets everyone forget.
    case gap(SubtreeGap)

    /// How many leaves the item stands for.
    package var leafCount: UInt64 {
        switch self {
        case .operation, .stub: 1
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
        case .stub(let stub):
            writer.writeByte(2)
            writer.write(stub)
        case .gap(let gap):
            writer.writeByte(3)
            writer.write(gap)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readByte()
        switch tag {
        case 1: self = .operation(try Operation(from: &reader))
        case 2: self = .stub(try Stub(from: &reader))
        case 3: self = .gap(try SubtreeGap(from: &reader))
        default: throw .unknownTag(UInt64(tag))
        }
    }

    /// The shortest encoding: a gap.
    static var byteCountMin: Int { 35 }
}
