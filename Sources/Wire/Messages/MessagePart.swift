/// A part of a message that is too long for one message of a channel.
///
/// ```
/// +--------------+-----------------+---------------+
/// | total varint | position varint | bytes, to end |
/// +--------------+-----------------+---------------+
/// ```
///
/// Each part but the last one has ``Limits/messagePartByteCount`` bytes of the encoded message, and a message that fits one part is sent
/// whole. So a message has one way to be cut.
package struct MessagePart: Hashable, Sendable {
    /// The number of bytes of the whole message, with its tag.
    package let total: Int
    /// The position of the part, from 0 on.
    package let position: Int
    /// The part's bytes.
    package let bytes: [UInt8]

    /// Cuts a message; `nil` where it fits one part, is too long for parts, or has no such part.
    /// - Parameters:
    ///   - position: The position of the wanted part, from 0 on.
    ///   - message: The encoded message.
    package init?(_ position: Int, of message: [UInt8]) {
        guard let range = Self.range(position, of: message.count) else { return nil }
        total = message.count
        self.position = position
        bytes = Array(message[range])
    }

    /// Whether no part follows.
    package var isLast: Bool { position == Self.count(of: total) - 1 }

    /// The kind of message, as the first part has it.
    /// - Returns: `nil` for another part, and for a message that does not go in parts.
    package var kind: LongMessage? { position == 0 ? bytes.first.flatMap { LongMessage(rawValue: $0) } : nil }

    /// Returns the number of parts of a message.
    /// - Parameter total: Its bytes.
    /// - Returns: The number of parts.
    package static func count(of total: Int) -> Int {
        (total + Limits.messagePartByteCount - 1) / Limits.messagePartByteCount
    }

    private static func range(_ position: Int, of total: Int) -> Range<Int>? {
        guard total > Limits.messagePartByteCount, total <= Limits.smallMessageByteCountMax,
            (0..<count(of: total)).contains(position)
        else { return nil }
        let start = position * Limits.messagePartByteCount
        return start..<min(start + Limits.messagePartByteCount, total)
    }
}

extension MessagePart: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeCount(total)
        writer.writeCount(position)
        writer.writeRaw(bytes)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let (total, position) = (try reader.readVarint(), try reader.readVarint())
        guard let total = Int(exactly: total), let position = Int(exactly: position),
            let range = Self.range(position, of: total)
        else { throw .invalidValue("part of a message") }
        self.total = total
        self.position = position
        bytes = try reader.readFixed(range.count)
    }
}
