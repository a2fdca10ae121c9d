/// A tree head with its author's signature, which holding it here does not verify.
///
/// The signature covers the bytes as received, so these are kept beside the decoded head.
///
/// ```
/// +--------------------+--------------------+----------------+
/// | head length varint | head bytes         | signature 64 B |
/// +--------------------+--------------------+----------------+
/// ```
package struct SignedTreeHead: Hashable, Sendable {
    /// The head that is signed.
    package let head: TreeHead
    /// The bytes of `head` as received, or as made here.
    package let headBytes: [UInt8]
    /// The author's signature over its context and `headBytes`.
    package let signature: Signature64

    /// Joins a head made here with its signature.
    package init(head: TreeHead, signature: Signature64) {
        self.head = head
        headBytes = head.encoded
        self.signature = signature
    }
}

extension SignedTreeHead: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeBytes(headBytes)
        writer.write(signature)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        (head, headBytes) = try reader.readKeepingBytes(maximum: Limits.treeHeadByteCountMax)
        signature = try Signature64(from: &reader)
    }
}

extension WireReader {
    /// Reads a value that has a length before it, and keeps its bytes for verifying a signature over them.
    /// - Parameter maximum: The largest accepted length.
    /// - Returns: The value, and the bytes that it was read from.
    /// - Throws: `WireError`.
    mutating func readKeepingBytes<Value: WireCodable>(
        maximum: Int
    ) throws(WireError) -> (value: Value, bytes: [UInt8]) {
        var nested = try readNested(maximum: maximum)
        let start = nested.position
        let value = try Value(from: &nested)
        try nested.finish()
        return (value, nested.bytes(since: start))
    }
}
