extension PeerMessage {
    /// The messages of the channel in which the message goes: itself, or the parts of a long one.
    /// - Returns: The bytes of each, in the order in which they are sent, with nothing between them.
    /// - Throws: The `WireError` that a receiver would meet.
    /// - Complexity: O(bytes).
    package func outgoingEncodings() throws(WireError) -> [[UInt8]] {
        try Self.parts(of: try outgoingEncoding())
    }

    /// Cuts a message that goes in parts when it is long.
    /// - Parameter encoding: The encoded message.
    /// - Returns: The encoded parts, or the message where it is sent whole.
    /// - Throws: `WireError.tooLong` where it has more bytes than its kind may have.
    /// - Complexity: O(bytes).
    package static func parts(of encoding: [UInt8]) throws(WireError) -> [[UInt8]] {
        guard encoding.count > Limits.messagePartByteCount,
            let kind = encoding.first.flatMap({ LongMessage(rawValue: $0) })
        else { return [encoding] }
        guard encoding.count <= kind.byteCountMax else { throw .tooLong(limit: kind.byteCountMax) }
        return (0..<MessagePart.count(of: encoding.count)).compactMap { position in
            MessagePart(position, of: encoding).map { PeerMessage.part($0).encoded }
        }
    }

    /// The message's encoding, after making sure that a receiver takes it.
    ///
    /// A message that does not decode ends the session at the other end as a violation, and does so again each time. Runs and parts of
    /// payloads are made of bytes that were decoded or checked before, so only their size is checked.
    /// - Returns: The bytes.
    /// - Throws: The `WireError` that a receiver would meet.
    /// - Complexity: O(bytes).
    private func outgoingEncoding() throws(WireError) -> [UInt8] {
        switch self {
        case .run(let run):
            let bytes = encoded
            guard run.items.count <= Limits.runItemCountMax else { throw .tooLong(limit: Limits.runItemCountMax) }
            guard bytes.count <= Limits.messageByteCountMax else { throw .tooLong(limit: Limits.messageByteCountMax) }
            return bytes
        case .payloadChunk:
            let bytes = encoded
            guard bytes.count <= Limits.smallMessageByteCountMax else {
                throw .tooLong(limit: Limits.smallMessageByteCountMax)
            }
            return bytes
        default:
            return try checkedEncoding()
        }
    }
}
