internal import CSodium

/// BLAKE2b (RFC 7693), the product's one hash.
///
/// The forms that take a ``ContextString`` are for the product's own values; those without one exist for foreign formats.
/// Several parts are hashed as their concatenation: the caller makes sure that their borders are unambiguous, by
/// fixed sizes or by an encoding that carries lengths.
package enum Blake2b {
    /// The number of bytes that ``digest32(_:_:)-([UInt8])`` returns.
    package static let byteCount = 32

    /// The greatest output.
    package static let byteCountMax = 64

    /// Inputs up to this size, purpose included, are put together on the stack.
    static let stackByteCountMax = 2_048

    /// A 32-byte hash as four big-endian words: no heap, and ordered like the bytes.
    package struct Words: Hashable, Sendable {
        /// Bytes 0 to 7, the most significant first.
        package var first: UInt64
        /// Bytes 8 to 15.
        package var second: UInt64
        /// Bytes 16 to 23.
        package var third: UInt64
        /// Bytes 24 to 31.
        package var fourth: UInt64

        /// Puts a hash together from its words.
        package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
            self.first = first
            self.second = second
            self.third = third
            self.fourth = fourth
        }
    }

    /// The hash of a message for one purpose.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - message: The message.
    /// - Returns: 32 bytes.
    /// - Complexity: O(message); no heap but the result for messages under 2 KiB.
    package static func digest32(_ context: ContextString, _ message: [UInt8]) -> [UInt8] {
        unsafe message.withUnsafeBytes { buffer in
            unsafe [UInt8](count: byteCount) { output in unsafe hash(context, buffer, .empty, into: output) }
        }
    }

    /// The hash of several parts, one after the other, for one purpose.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - first: The first part.
    ///   - second: The second part.
    ///   - rest: Further parts.
    /// - Returns: 32 bytes.
    package static func digest32(
        _ context: ContextString,
        _ first: [UInt8],
        _ second: [UInt8],
        _ rest: [UInt8]...
    ) -> [UInt8] {
        var hasher = Blake2bHasher(context)
        hasher.update(first)
        hasher.update(second)
        for part in rest {
            hasher.update(part)
        }
        return hasher.finalize()
    }

    /// The hash of bytes in place, for one purpose.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - message: The message.
    /// - Returns: 32 bytes.
    package static func digest32(_ context: ContextString, _ message: UnsafeRawBufferPointer) -> [UInt8] {
        unsafe [UInt8](count: byteCount) { output in unsafe hash(context, message, .empty, into: output) }
    }

    /// The hash of a message for one purpose, as words, without touching the heap.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - message: The message.
    /// - Returns: The hash.
    package static func words32(_ context: ContextString, _ message: UnsafeRawBufferPointer) -> Words {
        unsafe withOutputWords { output in unsafe hash(context, message, .empty, into: output) }
    }

    /// The hash of a message of known size that a closure writes, as words, without touching the heap.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - messageByteCount: The message's size; 0 ... 1,024.
    ///   - fill: Writes the whole message.
    /// - Returns: The hash.
    package static func words32(
        _ context: ContextString,
        messageByteCount: Int,
        filledBy fill: (UnsafeMutableRawBufferPointer) -> Void
    ) -> Words {
        precondition((0...1_024).contains(messageByteCount), "the stack path is for small messages")
        SodiumLibrary.start()
        let prefixByteCount = context.prefixByteCount
        let total = prefixByteCount + messageByteCount
        return unsafe withUnsafeTemporaryAllocation(byteCount: total, alignment: 16) { buffer in
            unsafe context.write(to: buffer)
            unsafe fill(UnsafeMutableRawBufferPointer(rebasing: buffer[prefixByteCount...]))
            return unsafe withOutputWords { output in
                unsafe compute(UnsafeRawBufferPointer(buffer), key: .empty, into: output)
            }
        }
    }

    /// A message authentication code for one purpose: keyed BLAKE2b.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - key: The key.
    ///   - message: The message.
    ///   - byteCount: The output's size, 16 ... 64.
    /// - Returns: The code. Compare codes with ``ConstantTime/equal(_:_:)``.
    package static func keyedHash(
        _ context: ContextString,
        key: borrowing SymmetricKey,
        _ message: [UInt8],
        byteCount: Int = Blake2b.byteCount
    ) -> [UInt8] {
        var hasher = Blake2bHasher(context, key: key, byteCount: byteCount)
        hasher.update(message)
        return hasher.finalize()
    }

    /// The hash of exactly these bytes, without a purpose.
    ///
    /// For foreign formats and test vectors.
    /// - Parameters:
    ///   - message: The bytes.
    ///   - byteCount: The output's size, 16 ... 64.
    /// - Returns: The hash.
    package static func hash(_ message: [UInt8], byteCount: Int = Blake2b.byteCount) -> [UInt8] {
        hash(message, rawKey: [], byteCount: byteCount)
    }

    /// The hash of exactly these bytes under a raw key of any legal size.
    ///
    /// For foreign formats and test vectors.
    /// - Parameters:
    ///   - message: The bytes.
    ///   - rawKey: 0 ... 64 bytes; none means no key.
    ///   - byteCount: The output's size, 16 ... 64.
    /// - Returns: The hash.
    package static func hash(_ message: [UInt8], rawKey: [UInt8], byteCount: Int) -> [UInt8] {
        precondition(rawKey.count <= 64, "BLAKE2b takes keys of at most 64 bytes")
        precondition((16...byteCountMax).contains(byteCount), "libsodium gives 16 to 64 bytes")
        SodiumLibrary.start()
        return unsafe message.withUnsafeBytes { buffer in
            unsafe rawKey.withUnsafeBytes { key in
                unsafe [UInt8](count: byteCount) { output in unsafe compute(buffer, key: key, into: output) }
            }
        }
    }

    // MARK: On buffers

    /// Context ‖ first ‖ second into `output`, whose size is the hash's.
    private static func hash(
        _ context: ContextString,
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) {
        SodiumLibrary.start()
        let prefixByteCount = context.prefixByteCount
        let (partial, overflow) = first.count.addingReportingOverflow(second.count)
        guard !overflow, partial <= stackByteCountMax - prefixByteCount else {
            var hasher = Blake2bHasher(context, byteCount: output.count)
            unsafe hasher.update(first)
            unsafe hasher.update(second)
            unsafe hasher.finalize(into: output)
            return
        }
        unsafe withUnsafeTemporaryAllocation(byteCount: prefixByteCount + partial, alignment: 16) { buffer in
            unsafe context.write(to: buffer)
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[prefixByteCount...]).copyMemory(from: first)
            let tail = unsafe buffer[(prefixByteCount + first.count)...]
            unsafe UnsafeMutableRawBufferPointer(rebasing: tail).copyMemory(from: second)
            unsafe compute(UnsafeRawBufferPointer(buffer), key: .empty, into: output)
        }
    }

    private static func compute(
        _ input: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) {
        // The only failures are sizes out of range, which every caller has excluded.
        let code = unsafe crypto_generichash(
            output.octets,
            output.count,
            input.octets,
            UInt64(input.count),
            key.octets,
            key.count
        )
        assert(code == 0, "BLAKE2b refused its sizes")
    }

    private static func withOutputWords(_ fill: (UnsafeMutableRawBufferPointer) -> Void) -> Words {
        unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { output in
            unsafe fill(output)
            return unsafe Words(
                UInt64(bigEndian: output.load(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: output.load(fromByteOffset: 8, as: UInt64.self)),
                UInt64(bigEndian: output.load(fromByteOffset: 16, as: UInt64.self)),
                UInt64(bigEndian: output.load(fromByteOffset: 24, as: UInt64.self))
            )
        }
    }
}
