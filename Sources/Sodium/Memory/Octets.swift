/// Addresses in the form that C wants.
///
/// An empty buffer may have no address, while many of libsodium's parameters are declared as never null. They get the
/// address of a byte that is not read, since the count beside it is zero.
extension UnsafeRawBufferPointer {
    /// No bytes.
    static var empty: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The first byte's address.
    var octets: UnsafePointer<UInt8> {
        unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(Placeholder.address)
    }
}

extension UnsafeMutableRawBufferPointer {
    /// The first byte's address.
    var octets: UnsafeMutablePointer<UInt8> {
        unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Placeholder.address
    }
}

extension [UInt8] {
    /// An array whose bytes are written in place, without being set to zero first.
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - fill: Writes all of them.
    init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe self.init(unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            initialized = count
        }
    }
}

private enum Placeholder {
    // SAFETY: nothing reads or writes through this address; it only stands in for the address of an empty buffer.
    nonisolated(unsafe) static let address: UnsafeMutablePointer<UInt8> = {
        let address = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        unsafe address.initialize(to: 0)
        return unsafe address
    }()
}
