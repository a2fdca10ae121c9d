/// A value that devices sign, and that travels with the signature.
package protocol SignedBody: WireCodable, Hashable {
    /// The maximum number of bytes of its encoding.
    static var signedByteCountMax: Int { get }
}

/// A body with its author's signature, which holding it here does not verify.
///
/// The signature covers the bytes as received, so these are kept beside the decoded body.
///
/// ```
/// +--------------------+------------+----------------+
/// | body length varint | body bytes | signature 64 B |
/// +--------------------+------------+----------------+
/// ```
package struct Signed<Body: SignedBody>: Hashable, Sendable {
    /// The body that is signed.
    package let body: Body
    /// The bytes of `body` as received, or as made here.
    package let bodyBytes: [UInt8]
    /// The author's signature over the context of the body's type and `bodyBytes`.
    package let signature: Signature64

    /// Joins a body made here with its signature.
    package init(_ body: Body, signature: Signature64) {
        self.body = body
        bodyBytes = body.encoded
        self.signature = signature
    }
}

extension Signed: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeBytes(bodyBytes)
        writer.write(signature)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        var nested = try reader.readNested(maximum: Body.signedByteCountMax)
        let start = nested.position
        body = try Body(from: &nested)
        try nested.finish()
        bodyBytes = nested.bytes(since: start)
        signature = try Signature64(from: &reader)
    }
}
