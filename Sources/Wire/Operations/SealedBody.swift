/// A record's body as it travels: closed to every device that lacks the key of its epoch.
///
/// ```
/// +--------+-----------------+------------+---------------+-----------------------+
/// | kind 1 | commitment 32 B | nonce 24 B | length varint | ciphertext ‖ tag 16 B |   kind 1 record, 2 tombstone
/// +--------+-----------------+------------+---------------+-----------------------+
/// ```
///
/// The mark of a deletion stands outside of the seal: a device that stores without reading may prune tombstones under
/// a checkpoint, as all others do. The contents are padded, so the length tells the size roughly.
package struct SealedBody: Hashable, Sendable {
    /// Whether the operation deletes its record.
    package var isTombstone: Bool
    /// The commitment to the key it was sealed with, which a device that has the key can check.
    package var commitment: Hash
    /// The nonce, 24 bytes.
    package var nonce: [UInt8]
    /// The padded encoding of the `RecordBody`, encrypted, with its tag.
    package var ciphertext: [UInt8]

    /// The number of bytes of a nonce.
    package static let nonceByteCount = 24
    /// The number of bytes of the tag behind the ciphertext.
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

    /// The first byte: the operation's effect on its record.
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
