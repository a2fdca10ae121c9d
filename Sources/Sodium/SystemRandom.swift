internal import CSodium

/// The operating system's random source.
///
/// The protocol core takes `inout some RandomNumberGenerator`, so that a run can be replayed from a seed; only the layers
/// above pass this one in.
package struct SystemRandom: RandomNumberGenerator, Sendable {
    // Gives a generator an address: of a value without size the compiler may pass an undefined one, and the thread sanitizer
    // faults when it looks there.
    private let place: UInt8 = 0

    /// A generator without state of its own.
    package init() {
        SodiumLibrary.start()
    }

    /// The next 64 random bits.
    /// - Returns: Unpredictable bits.
    package mutating func next() -> UInt64 {
        var value: UInt64 = 0
        unsafe randombytes_buf(&value, MemoryLayout<UInt64>.size)
        return value
    }

    /// Random bytes.
    /// - Parameter count: The number; not negative.
    /// - Returns: An array of that many bytes.
    /// - Complexity: O(count).
    package static func bytes(_ count: Int) -> [UInt8] {
        SodiumLibrary.start()
        return unsafe [UInt8](count: count) { output in
            unsafe randombytes_buf(output.octets, count)
        }
    }
}

extension RandomNumberGenerator {
    /// Random bytes from any generator, eight at a time.
    /// - Parameter count: The number; not negative.
    /// - Returns: An array of that many bytes.
    /// - Complexity: O(count).
    package mutating func randomBytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let word = next()
            for shift in stride(from: 0, to: 64, by: 8) where bytes.count < count {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }
}
