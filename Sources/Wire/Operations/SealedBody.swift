/// A record's body as it travels: closed to everybody who lacks the key of its epoch.
///
/// ```
/// +--------+-----------------+------------+---------------+-----------------------+
/// | kind 1 | commitment 32 B | nonce 24 B | length varint | ciphertext ‖ tag 16 B |   kind 1 record, 2 tombstone
/// +--------+-----------------+------------+---------------+-----------------------+
/// ```
///
/// That an operation deletes its record stands outside of the seal: who stores without reading may forget tombstones under
/// a checkpoint, as everybody else does. What is inside is padded, so the length tells the size roughly.
package struct SealedBody: Hashable, Sendable {
    /// Whether the operation deletes its record.
    package var isTombstone: Bool
    /// Says which key it was sealed with, to who has it.
    package var commitment: Hash
    /// The nonce, 24 bytes.
    package var nonce: [UInt8]
    /// The padded encoding of the `RecordBody`, encrypted, with its tag.
    package var ciphertext: [UInt8]

    /// How many bytes a nonce has.
    package static let nonceByteCount = 24
    /// How many bytes the tag behind the ciphertext has.
    package static let tagByteCount = 16
    /// Puts a sealed body together.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: the nonce has 24 bytes.
    package init(isTombstone: Bool, commitment: Hash, nonce: [UInt8], ciphertext: [UInt8]) {
        precondition(nonce.count == Self.nonceByteCount, "a nonce has 24 bytes")
        self.isTombstone = isTombstone
        self.commitment = commitment
        self.nonce = nonce
        self.ciphertext = ciphertext
    }

    /// The first byte: what the operation does to its record.
    package var kind: UInt8 { isTombstone ? 2 : 1 }
}

extension SealedBody: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(kind)
        writer.write(commitment)
        writer.writeFixed(nonce, count: Self.nonceByteCount)
        writer.writeBytes(ciphertext)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 1: isTombstone = false
        case 2: isTombstone = true
        case let kind: throw .unknownTag(UInt64(kind))
        }
        commitment = Hash(try reader.readDigest())
        nonce = try reader.readFixed(Self.nonceByteCount)
        ciphertext = try reader.readBytes(maximum: Limits.bodyByteCountMax)
        guard ciphertext.count > Self.tagByteCount else { throw .invalidValue("ciphertext") }
    }
}
