/// The secret of the channel on which an account's devices answer a machine that has the account's recovery words.
///
/// ```
/// +--------------------------+-------------+
/// | recovery public key 32 B | secret 32 B |
/// +--------------------------+-------------+
/// ```
///
/// The secret is derived from the words and does not lead back to them. It has no description, so that no log shows
/// it by accident.
package struct RecoverySecret: Hashable, Sendable {
    /// The number of bytes of each of the two.
    package static let partByteCount = 32

    /// The public half of the key that the words sign with, which the account log names.
    package let key: [UInt8]
    /// The secret of the channel.
    package let secret: [UInt8]

    /// Takes over a secret.
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - secret: 32 bytes.
    /// - Precondition: each has 32 bytes.
    package init(key: [UInt8], secret: [UInt8]) {
        precondition(key.count == Self.partByteCount && secret.count == Self.partByteCount, "both have 32 bytes")
        self.key = key
        self.secret = secret
    }
}

extension RecoverySecret: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeFixed(key, count: Self.partByteCount)
        writer.writeFixed(secret, count: Self.partByteCount)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        key = try reader.readFixed(Self.partByteCount)
        secret = try reader.readFixed(Self.partByteCount)
    }
}

extension RecoverySecret: UnprintedSecret {
    package var description: String { "RecoverySecret" }
}
