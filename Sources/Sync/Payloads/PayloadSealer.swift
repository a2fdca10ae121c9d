import Records
import Sodium
package import Wire

/// Seals the chunks of one payload, and opens them.
///
/// ```
/// key   = BLAKE2b(secret, "payload-key", zone)
/// chunk = XChaCha20-Poly1305(key, nonce = 16 zero bytes ‖ position 8, plain)
/// ```
///
/// A secret seals one payload in its life, so that positions are nonces. That nothing is left out, added or put elsewhere is seen by
/// the outline, whose hash is the payload's id.
package struct PayloadSealer: ~Copyable {
    private let key: SymmetricKey

    /// Seals and opens under a secret.
    /// - Parameters:
    ///   - secret: The payload's secret.
    ///   - zone: The zone that it belongs to.
    /// - Throws: What libsodium's wrapper throws of a key of another length; never in fact.
    package init(_ secret: StoredSecret, zone: ZoneID) throws {
        key = try SymmetricKey(bytes: secret.bytes, placement: .transient)
            .derivedKey(.payloadKey, info: zone.bytes)
    }

    /// Seals a chunk.
    /// - Parameters:
    ///   - plain: At most `Limits.chunkByteCount` bytes.
    ///   - position: Where it belongs; each position is sealed once.
    /// - Returns: The bytes, and the tag behind them.
    package borrowing func seal(_ plain: [UInt8], at position: UInt64) -> [UInt8] {
        XChaChaPoly.seal(plain, key: key, nonce: Self.nonce(position))
    }

    /// Opens a chunk.
    /// - Parameters:
    ///   - sealed: What ``seal(_:at:)`` gave.
    ///   - position: Where it belongs.
    /// - Returns: The plain bytes; `nil` for what was sealed under another key, or for another place.
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
    /// The payload's id: who holds it can check each chunk, and nobody can make another payload of the same id.
    package var id: PayloadID {
        PayloadID(Hash(digesting: .payloadID, encoded).digest)
    }
}

extension PayloadChunk {
    /// What the outline says of a chunk.
    package static func hash(of sealed: [UInt8]) -> Hash { Hash(digesting: .payloadChunk, sealed) }
}
