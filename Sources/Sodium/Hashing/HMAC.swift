internal import CSodium

/// HMAC (RFC 2104) over any ``HashAlgorithm``; `HMAC<Blake2b512>` is the one the Noise framework asks for.
package enum HMAC<Hash: HashAlgorithm> {
    /// The code of a message.
    /// - Parameters:
    ///   - message: The message.
    ///   - key: The key, of any size.
    /// - Returns: As many bytes as the hash gives. Compare codes with ``ConstantTime/equal(_:_:)``.
    package static func code(of message: [UInt8], key: borrowing SecretBytes) -> [UInt8] {
        unsafe [UInt8](count: Hash.byteCount) { output in
            unsafe key.withBytes { keyBytes in
                unsafe message.withUnsafeBytes { bytes in unsafe write(codeOf: bytes, key: keyBytes, to: output) }
            }
        }
    }

    /// The code of bytes in memory.
    ///
    /// Every intermediate value lives on the stack and is wiped.
    static func write(
        codeOf message: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawBufferPointer
    ) {
        SodiumLibrary.start()
        let block = Hash.blockByteCount
        let size = Hash.byteCount
        unsafe withUnsafeTemporaryAllocation(byteCount: 2 * block + size, alignment: 16) { scratch in
            let inner = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[0..<block])
            let outer = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[block..<2 * block])
            let digest = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[(2 * block)...])
            unsafe sodium_memzero(scratch.baseAddress, scratch.count)
            if key.count > block {
                let shortened = unsafe UnsafeMutableRawBufferPointer(rebasing: inner[0..<size])
                unsafe Hash.write(digestOf: key, .empty, to: shortened)
            } else {
                unsafe inner.copyMemory(from: key)
            }
            for index in 0..<block {
                unsafe outer[index] = inner[index] ^ 0x5c
                unsafe inner[index] ^= 0x36
            }
            unsafe Hash.write(digestOf: UnsafeRawBufferPointer(inner), message, to: digest)
            unsafe Hash.write(digestOf: UnsafeRawBufferPointer(outer), UnsafeRawBufferPointer(digest), to: output)
            unsafe sodium_memzero(scratch.baseAddress, scratch.count)
        }
    }
}

/// HMAC over BLAKE2b-512.
package typealias HMACBlake2b = HMAC<Blake2b512>
