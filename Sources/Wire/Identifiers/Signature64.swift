/// The 64 bytes of an Ed25519 signature, not verified by being held here.
///
/// ```
/// +----------------------------------------------------------------+
/// | 64 bytes                                                       |
/// +----------------------------------------------------------------+
/// ```
package struct Signature64: Hashable, Sendable {
    /// The 64 bytes.
    package let bytes: [UInt8]

    /// Takes over 64 bytes; `nil` for any other number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        self.init(Array(bytes))
    }

    /// Takes over 64 bytes; `nil` for any other number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The number of bytes of a signature.
    package static let byteCount = 64
}

extension Signature64: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeRaw(bytes)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        bytes = try reader.readFixed(Self.byteCount)
    }
}
