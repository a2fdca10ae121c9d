internal import CSodium

extension SecretBytes {
    /// Derives a key for one purpose from a secret of any size.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - info: Further input that the key depends on.
    ///   - placement: The placement of the result.
    /// - Returns: 32 bytes of BLAKE2b over purpose and info, keyed with the secret; a secret of more than 64 bytes, or of
    ///   none, is hashed to 64 first.
    package borrowing func derivedKey(
        _ context: ContextString,
        info: [UInt8] = [],
        placement: Placement = .transient
    ) -> SymmetricKey {
        SymmetricKey(
            checked: derivedBytes(context, info: info, byteCount: SymmetricKey.byteCount, placement: placement)
        )
    }

    /// Derives secret bytes for one purpose from a secret of any size.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - info: Further input that the bytes depend on.
    ///   - byteCount: The number of bytes, 16 ... 64.
    ///   - placement: The placement of the bytes.
    /// - Returns: The bytes, as ``derivedKey(_:info:placement:)`` makes them; each size gives other bytes.
    package borrowing func derivedBytes(
        _ context: ContextString,
        info: [UInt8] = [],
        byteCount: Int,
        placement: Placement = .transient
    ) -> SecretBytes {
        guard (1...64).contains(count) else {
            let shortened = unsafe SecretBytes(count: Blake2b512.byteCount, placement: .transient) { output in
                unsafe withBytes { bytes in unsafe Blake2b512.write(digestOf: bytes, .empty, to: output) }
            }
            return shortened.derivedBytes(context, info: info, byteCount: byteCount, placement: placement)
        }
        return unsafe SecretBytes(count: byteCount, placement: placement) { output in
            var hasher = Blake2bHasher(context, secret: self, byteCount: byteCount)
            hasher.update(info)
            unsafe hasher.finalize(into: output)
        }
    }

    /// The first 32 bytes as a key: how Noise shortens the output of a 64-byte hash.
    ///
    /// There must be at least 32 bytes; sizes are fixed by the code, never by a peer.
    /// - Parameter placement: Where to keep the key.
    /// - Returns: The key.
    package borrowing func truncatedKey(placement: Placement = .transient) -> SymmetricKey {
        precondition(count >= SymmetricKey.byteCount, "too few bytes for a key")
        let bytes = unsafe withBytes { source in
            unsafe SecretBytes(count: SymmetricKey.byteCount, placement: placement) { buffer in
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<SymmetricKey.byteCount]))
            }
        }
        return SymmetricKey(checked: bytes)
    }

    /// One of several equal pieces of a longer secret, with an owner of its own.
    /// - Parameters:
    ///   - index: The index of the piece, from 0; it must lie inside of the secret.
    ///   - byteCount: Each piece's size.
    /// - Returns: The piece.
    package borrowing func piece(_ index: Int, of byteCount: Int) -> SecretBytes {
        unsafe withBytes { source in
            unsafe SecretBytes(count: byteCount, placement: .transient) { buffer in
                let range = (index * byteCount)..<((index + 1) * byteCount)
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
            }
        }
    }

    /// This secret with another one behind it.
    /// - Parameters:
    ///   - other: The other one.
    ///   - placement: The placement of both.
    /// - Returns: The owner of both.
    package borrowing func joined(with other: borrowing SecretBytes, placement: Placement = .transient) -> SecretBytes {
        unsafe withBytes { first in
            unsafe other.withBytes { second in
                unsafe SecretBytes(count: first.count + second.count, placement: placement) { buffer in
                    unsafe buffer.copyMemory(from: first)
                    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[first.count...]).copyMemory(from: second)
                }
            }
        }
    }

    /// Overwrites scratch memory.
    static func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
        unsafe sodium_memzero(buffer.baseAddress, buffer.count)
    }
}
