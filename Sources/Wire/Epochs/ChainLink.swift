/// The key of an earlier epoch, sealed under that of a later one.
///
/// ```
/// +----------+-----------+
/// | epoch 32 | sealed 48 |
/// +----------+-----------+
/// ```
package struct ChainLink: Hashable, Sendable {
    /// The earlier epoch.
    package let epoch: Hash
    /// Its key, encrypted, with a tag: 48 bytes.
    package let sealed: [UInt8]

    /// The number of bytes of a sealed key.
    package static let sealedByteCount = 48
    /// The number of bytes of a link.
    package static let byteCount = Digest32.byteCount + sealedByteCount

    /// A link.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: 48 sealed bytes.
    package init(epoch: Hash, sealed: [UInt8]) {
        precondition(sealed.count == Self.sealedByteCount, "a sealed key has 48 bytes")
        self.epoch = epoch
        self.sealed = sealed
    }
}

extension ChainLink: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.write(epoch)
        writer.writeFixed(sealed, count: Self.sealedByteCount)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        epoch = Hash(try reader.readDigest())
        sealed = try reader.readFixed(Self.sealedByteCount)
    }
}

extension ChainLink: WireOrdered {
    /// By the epoch.
    package var orderKey: Hash { epoch }
}
