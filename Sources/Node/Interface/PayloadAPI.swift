/// The node's interface for the content of messages.
package protocol PayloadAPI: Sendable {
    /// Stores a payload: bytes that are too large for a record, as the content of a message or of an asset.
    ///
    /// The bytes are sealed as they arrive, and deleted after a day unless a message or a record names the payload.
    /// - Parameters:
    ///   - bytes: The bytes, in pieces of any size; at most ``Sync/PayloadWriter/byteCountMax`` in all.
    ///   - zone: Id text or unique name.
    ///   - announced: The number of bytes, if it is known: large payloads are cut into larger chunks.
    /// - Returns: The payload, with the id that names it; it is durable.
    /// - Throws: `zoneUnknown`, `messageTooLarge`, and the errors that refuse a commit; none of the bytes are kept
    ///   then.
    func handIn<Bytes: AsyncSequence & Sendable>(
        _ bytes: Bytes,
        zone: String,
        announced: UInt64?
    ) async throws(NodeError) -> PayloadView where Bytes.Element == [UInt8]

    /// Returns a part of a message's content, from its record or its payload.
    /// - Parameters:
    ///   - id: The message.
    ///   - offset: The first byte to return.
    /// - Returns: Some bytes from there, none at the end.
    /// - Throws: `messageUnknown`, also for one that cannot be read here; `messageIncomplete` when its payload has
    ///   not arrived in full, or has been damaged here and is fetched again.
    func content(ofMessage id: String, from offset: UInt64) async throws(NodeError) -> ContentPart
}
