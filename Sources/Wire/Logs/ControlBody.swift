/// The body of an operation in lane control.
///
/// ```
/// +------------+---------------+---------+
/// | tag varint | length varint | payload |   1 ZoneGenesis, 2 Checkpoint, 3 zoneDeletion: reason (UTF-8),
/// +------------+---------------+---------+   0 and 4… kept as they are
/// ```
///
/// An unknown kind is kept, forwarded byte for byte and otherwise ignored, so that zones may be ruled by newer
/// nodes than some of those that carry them.
package enum ControlBody: Sendable {
    /// The zone's first operation.
    case genesis(ZoneGenesis)
    /// What is final and may be forgotten.
    case checkpoint(Checkpoint)
    /// The end of the zone; the reason is for people, at most 1,024 bytes.
    case zoneDeletion(reason: String)
    /// A kind that a later version knows.
    case unknown(tag: UInt64, bytes: [UInt8])
}

extension ControlBody: Hashable {
    /// Whether both have the same encoding.
    package static func == (left: Self, right: Self) -> Bool {
        left.encoded == right.encoded
    }

    /// Feeds the encoding.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(encoded)
    }
}

extension ControlBody: WireCodable {
    private static let knownTags: ClosedRange<UInt64> = 1...3

    package func encode(into writer: inout WireWriter) {
        switch self {
        case .genesis(let genesis):
            writer.writeTagged(1) { $0.write(genesis) }
        case .checkpoint(let checkpoint):
            writer.writeTagged(2) { $0.write(checkpoint) }
        case .zoneDeletion(let reason):
            writer.writeTagged(3) { $0.writeUTF8(reason) }
        case .unknown(let tag, let bytes):
            precondition(!Self.knownTags.contains(tag), "a known kind of control operation is written as itself")
            writer.writeTagged(tag) { $0.writeRaw(bytes) }
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readVarint()
        var payload = try reader.readNested(maximum: Limits.bodyByteCountMax)
        switch tag {
        case 1: self = .genesis(try ZoneGenesis(from: &payload))
        case 2: self = .checkpoint(try Checkpoint(from: &payload))
        case 3:
            guard payload.remaining <= Limits.reasonByteCountMax else {
                throw .tooLong(limit: Limits.reasonByteCountMax)
            }
            self = .zoneDeletion(reason: try payload.readRestAsString())
        default: self = .unknown(tag: tag, bytes: payload.readRest())
        }
        try payload.finish()
    }
}
