import Records
import Sodium
package import Wire

/// Seals the chunks of one payload, and opens them.
///
/// ```
/// key   = BLAKE2b(secret, "payload-key")
/// chunk = XChaCha20-Poly1305(key, nonce = 16 zero bytes ‖ position 8, plain)
/// ```
///
/// A secret seals one payload only, so that positions are nonces. The outline, whose hash is the payload's id, shows
/// that no chunk is left out, added or moved.
package struct PayloadSealer: ~Copyable {
    private let key: SymmetricKey

    /// Seals and opens under a secret.
    /// - Parameter secret: The payload's secret.
    /// - Throws: An error of libsodium's wrapper for a key of another length; never in fact.
    package init(_ secret: StoredSecret) throws {
        key = try SymmetricKey(bytes: secret.bytes, placement: .transient).derivedKey(.payloadKey)
    }

    /// Seals a chunk.
    /// - Parameters:
    ///   - plain: At most `Limits.chunkByteCountMax` bytes.
    ///   - position: The position of the chunk; each position is sealed once.
    /// - Returns: The bytes, and the tag behind them.
    package borrowing func seal(_ plain: [UInt8], at position: UInt64) -> [UInt8] {
        XChaChaPoly.seal(plain, key: key, nonce: Self.nonce(position))
    }

    /// Opens a chunk.
    /// - Parameters:
    ///   - sealed: The result of ``seal(_:at:)``.
    ///   - position: The position of the chunk.
    /// - Returns: The plain bytes; `nil` for a chunk that was sealed under another key, or for another position.
    package borrowing func open(_ sealed: [UInt8], at position: UInt64) -> [UInt8]? {
        try? XChaChaPoly.open(sealed, key: key, nonce: Self.nonce(position))
    }

    private static func nonce(_ position: UInt64) -> XChaChaPoly.Nonce {
        var writer = WireWriter()
        writer.writeRaw([UInt8](repeating: 0, count: 16))
        writer.writeUInt64(position)
        // 24 bytes, always.
        return (try? XChaChaPoly.Nonce(bytes: writer.bytes)) ?? .zero
    }
}

extension PayloadOutline {
    /// The payload's id: a device that holds it can check each chunk, and no one can make another payload of the same
    /// id.
    package var id: PayloadID {
        PayloadID(Hash(digesting: .payloadID, encoded).digest)
    }
}

extension PayloadChunk {
    /// Returns the hash of a chunk, as in the outline.
    package static func hash(of sealed: [UInt8]) -> Hash { Hash(digesting: .payloadChunk, sealed) }
}
