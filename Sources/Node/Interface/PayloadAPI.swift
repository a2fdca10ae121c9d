/// The node's interface for the content of messages.
package protocol PayloadAPI: Sendable {
    /// Stores a payload: content of a message that is too large for the message's record.
    ///
    /// The bytes are sealed as they arrive, and deleted after a day unless a message names the payload.
    /// - Parameters:
    ///   - bytes: The bytes, in pieces of any size; at most ``Sync/PayloadWriter/byteCountMax`` in all.
    ///   - zone: Id text or unique name.
    /// - Returns: The payload, with the id that the message names; it is durable.
    /// - Throws: `zoneUnknown`, `messageTooLarge`, and the errors that refuse a commit; none of the bytes are kept
    ///   then.
    func handIn<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        zone: String
    ) async throws(NodeError) -> PayloadView where Bytes.Element == [UInt8]

    /// Returns a part of a message's content, from its record or its payload.
    /// - Parameters:
    ///   - id: The message.
    ///   - offset: The first byte to return.
    /// - Returns: Some bytes from there, none at the end.
    /// - Throws: `messageUnknown`, also for one that cannot be read here; `messageIncomplete` when its payload has
    ///   not arrived in full.
    func content(ofMessage id: String, from offset: UInt64) async throws(NodeError) -> ContentPart
}
