extension PeerMessage {
    /// The message's encoding, after making sure that a receiver takes it.
    ///
    /// A message that does not decode ends the session at the other end as a violation, and does so again each time. Runs and parts of
    /// payloads are made of what was decoded or checked before, so of these only the size is looked at.
    /// - Returns: The bytes.
    /// - Throws: The `WireError` that a receiver would meet.
    /// - Complexity: O(bytes).
    package func outgoingEncoding() throws(WireError) -> [UInt8] {
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
