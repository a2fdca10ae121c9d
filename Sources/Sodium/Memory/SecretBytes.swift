internal import CSodium

/// The one owner of a secret: memory that is wiped when the owner goes away and cannot be copied or printed.
///
/// There is deliberately no `description`, no equality operator and no way to subscript; bytes are lent to a closure.
@safe
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    // SAFETY: the memory is written only in the initializer and has one owner, so lending it for reading from several
    // threads is sound.

    /// The placement of a secret in memory.
    package enum Placement: Sendable {
        /// Locked pages with inaccessible pages around them, left out of core dumps. Tens of microseconds and three memory
        /// mappings each: for keys that live for minutes or longer.
        case guarded

        /// Ordinary heap memory, still wiped. For keys that live for the length of one operation.
        case transient
    }

    /// The number of bytes owned.
    package let count: Int
    private let base: UnsafeMutableRawPointer
    private let isGuarded: Bool

    /// Takes memory and lets a closure fill it.
    /// - Parameters:
    ///   - count: The number of bytes; not negative.
    ///   - placement: The placement of the bytes.
    ///   - fill: Writes the whole buffer, which starts out zero.
    /// - Throws: The closure's error; the memory is wiped and freed then.
    package init<Failure: Error>(
        count: Int,
        placement: Placement = .guarded,
        filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        SodiumLibrary.start()
        precondition(count >= 0, "a secret has no negative size")
        // Guarded memory can run out before ordinary memory does (each piece needs its own mappings). Then a secret in
        // ordinary memory is better than a process that ends.
        if placement == .guarded, let memory = unsafe sodium_malloc(max(count, 1)) {
            unsafe base = memory
            isGuarded = true
        } else {
            unsafe base = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 16)
            isGuarded = false
        }
        self.count = count
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: base, count: count)
        unsafe sodium_memzero(base, count)
        try unsafe fill(buffer)
    }

    /// Fresh random bytes from the operating system.
    /// - Parameters:
    ///   - count: The number of bytes; not negative.
    ///   - placement: The placement of the bytes.
    package init(randomCount count: Int, placement: Placement = .guarded) {
        unsafe self.init(count: count, placement: placement) { buffer in
            unsafe randombytes_buf(buffer.octets, buffer.count)
        }
    }

    /// Random bytes from a generator that the caller passes in, so that a run can be replayed.
    /// - Parameters:
    ///   - count: The number of bytes; not negative.
    ///   - placement: The placement of the bytes.
    ///   - generator: The source of the randomness; outside of tests ``SystemRandom``.
    package init(count: Int, placement: Placement = .guarded, using generator: inout some RandomNumberGenerator) {
        unsafe self.init(count: count, placement: placement) { buffer in
            var word: UInt64 = 0
            for index in buffer.indices {
                word = index.isMultiple(of: 8) ? generator.next() : word >> 8
                unsafe buffer[index] = UInt8(truncatingIfNeeded: word)
            }
        }
    }

    /// Moves bytes in: the array that held them is wiped and left empty.
    /// - Parameters:
    ///   - bytes: The secret. Other copies of the array, if any exist, are not reached.
    ///   - placement: The placement of the bytes.
    package init(wiping bytes: inout [UInt8], placement: Placement = .guarded) {
        unsafe self.init(count: bytes.count, placement: placement) { buffer in
            unsafe bytes.withUnsafeBytes { source in unsafe buffer.copyMemory(from: source) }
        }
        unsafe bytes.withUnsafeMutableBytes { source in unsafe sodium_memzero(source.baseAddress, source.count) }
        bytes = []
    }

    /// Copies bytes in; the caller sees to the original.
    /// - Parameters:
    ///   - bytes: The secret.
    ///   - placement: The placement of the bytes.
    package init(copying bytes: [UInt8], placement: Placement = .guarded) {
        unsafe self.init(count: bytes.count, placement: placement) { buffer in
            unsafe bytes.withUnsafeBytes { source in unsafe buffer.copyMemory(from: source) }
        }
    }

    deinit {
        if isGuarded {
            unsafe sodium_free(base)
        } else {
            unsafe sodium_memzero(base, max(count, 1))
            unsafe base.deallocate()
        }
    }

    /// Lends the bytes for the length of a closure.
    /// - Parameter body: Reads the bytes; it must not let the pointer out.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// A plain copy of the secret, for the places that must write it down: the key file, a sealed envelope.
    ///
    /// The copy is not wiped automatically; keep it for a short time only.
    /// - Returns: The bytes.
    package borrowing func exportBytes() -> [UInt8] {
        unsafe withBytes { buffer in unsafe Array(buffer) }
    }

    /// A second owner of the same bytes.
    /// - Parameter placement: Where to keep them.
    /// - Returns: The new owner.
    package borrowing func duplicate(placement: Placement = .guarded) -> SecretBytes {
        unsafe withBytes { source in
            unsafe SecretBytes(count: count, placement: placement) { buffer in
                unsafe buffer.copyMemory(from: source)
            }
        }
    }

    /// Compares two secrets in time that depends on their lengths only.
    /// - Parameter other: The other secret.
    /// - Returns: Whether they are the same bytes.
    package borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
        guard count == other.count else { return false }
        return unsafe sodium_memcmp(base, other.base, count) == 0
    }
}
