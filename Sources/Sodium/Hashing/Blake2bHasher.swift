internal import CSodium

/// BLAKE2b over a message that arrives in pieces.
@safe
package struct Blake2bHasher: ~Copyable {
    /// The state is over-aligned and imports as an opaque type, so it gets memory of its own.
    private let memory: UnsafeMutableRawPointer
    private let outputByteCount: Int

    /// Starts a hash for one purpose.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - byteCount: The output's size, 16 ... 64.
    package init(_ context: ContextString, byteCount: Int = Blake2b.byteCount) {
        self.init(byteCount: byteCount)
        start(context)
    }

    /// Starts a message authentication code for one purpose.
    /// - Parameters:
    ///   - context: The purpose.
    ///   - key: The key.
    ///   - byteCount: The output's size, 16 ... 64.
    package init(_ context: ContextString, key: borrowing SymmetricKey, byteCount: Int = Blake2b.byteCount) {
        self.init(context, secret: key.secret, byteCount: byteCount)
    }

    /// Starts a code under a secret of 1 to 64 bytes; longer ones are hashed down first by the caller.
    init(_ context: ContextString, secret: borrowing SecretBytes, byteCount: Int) {
        precondition((1...64).contains(secret.count), "BLAKE2b takes keys of 1 to 64 bytes")
        unsafe memory = Self.allocate(byteCount: byteCount)
        outputByteCount = byteCount
        let state = unsafe OpaquePointer(memory)
        unsafe secret.withBytes { bytes in
            unsafe _ = crypto_generichash_init(
                state,
                bytes.octets,
                bytes.count,
                byteCount
            )
        }
        start(context)
    }

    /// Starts a hash without a purpose.
    ///
    /// For foreign formats and test vectors.
    /// - Parameter byteCount: The output's size, 16 ... 64.
    package init(byteCount: Int) {
        unsafe memory = Self.allocate(byteCount: byteCount)
        outputByteCount = byteCount
        unsafe _ = crypto_generichash_init(OpaquePointer(memory), nil, 0, byteCount)
    }

    deinit {
        unsafe sodium_memzero(memory, crypto_generichash_statebytes())
        unsafe memory.deallocate()
    }

    /// Takes in more of the message.
    /// - Parameter bytes: The next piece.
    /// - Complexity: O(piece).
    package mutating func update(_ bytes: [UInt8]) {
        unsafe _ = crypto_generichash_update(OpaquePointer(memory), bytes, UInt64(bytes.count))
    }

    /// Takes in one byte.
    /// - Parameter byte: The next byte.
    package mutating func update(byte: UInt8) {
        var byte = byte
        unsafe _ = crypto_generichash_update(OpaquePointer(memory), &byte, 1)
    }

    /// Takes in a number as eight big-endian bytes.
    /// - Parameter number: The number.
    package mutating func update(number: UInt64) {
        var bytes = number.bigEndian
        unsafe withUnsafeBytes(of: &bytes) { buffer in unsafe update(buffer) }
    }

    /// Takes in more of the message from memory.
    /// - Parameter buffer: The next piece.
    package mutating func update(_ buffer: UnsafeRawBufferPointer) {
        unsafe _ = crypto_generichash_update(
            OpaquePointer(memory),
            buffer.octets,
            UInt64(buffer.count)
        )
    }

    /// Ends the hash.
    /// - Returns: As many bytes as were asked for at the start.
    package consuming func finalize() -> [UInt8] {
        let count = outputByteCount
        let state = unsafe OpaquePointer(memory)
        return unsafe [UInt8](count: count) { output in
            unsafe _ = crypto_generichash_final(state, output.octets, count)
        }
    }

    consuming func finalize(into output: UnsafeMutableRawBufferPointer) {
        precondition(output.count == outputByteCount, "the output has another size than the hash was started for")
        unsafe _ = crypto_generichash_final(
            OpaquePointer(memory),
            output.octets,
            outputByteCount
        )
    }

    private mutating func start(_ context: ContextString) {
        let name = context.rawValue.utf8
        unsafe withUnsafeTemporaryAllocation(byteCount: 1 + name.count, alignment: 1) { buffer in
            unsafe context.write(to: buffer)
            unsafe update(UnsafeRawBufferPointer(buffer))
        }
    }

    private static func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
        precondition((16...Blake2b.byteCountMax).contains(byteCount), "libsodium gives 16 to 64 bytes")
        SodiumLibrary.start()
        return UnsafeMutableRawPointer.allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
    }
}
