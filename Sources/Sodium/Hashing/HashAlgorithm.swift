/// A hash function as HMAC, HKDF and the Noise framework see it.
///
/// The product uses ``Blake2b512`` alone; the others let the same code run against foreign test vectors.
package protocol HashAlgorithm: Sendable {
    /// The output's size; at most ``HashLimits/byteCountMax``.
    static var byteCount: Int { get }

    /// The size of the blocks the function works on (HMAC needs it); at most ``HashLimits/blockByteCountMax``.
    static var blockByteCount: Int { get }

    /// The name in a Noise protocol name, such as `BLAKE2b`.
    static var noiseName: String { get }

    /// Hashes the concatenation of two pieces.
    /// - Parameters:
    ///   - first: The first piece.
    ///   - second: The second piece.
    ///   - output: Room for exactly ``byteCount`` bytes; it may not overlap the input.
    static func write(
        digestOf first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer
    )
}

/// The limits of every ``HashAlgorithm``.
package enum HashLimits {
    /// The longest output.
    package static let byteCountMax = 64
    /// The longest block.
    package static let blockByteCountMax = 128
}

extension HashAlgorithm {
    /// The hash of a byte string.
    /// - Parameter message: The bytes.
    /// - Returns: ``byteCount`` bytes.
    package static func hash(_ message: [UInt8]) -> [UInt8] {
        hash(message, [])
    }

    /// The hash of two byte strings, one after the other.
    /// - Parameters:
    ///   - first: The first bytes.
    ///   - second: The bytes after them.
    /// - Returns: ``byteCount`` bytes.
    package static func hash(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        unsafe [UInt8](count: byteCount) { output in
            unsafe first.withUnsafeBytes { one in
                unsafe second.withUnsafeBytes { two in unsafe write(digestOf: one, two, to: output) }
            }
        }
    }
}
