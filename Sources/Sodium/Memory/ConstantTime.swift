internal import CSodium

/// Comparisons whose duration reveals nothing about the values.
package enum ConstantTime {
    /// Compares two byte strings.
    /// - Parameters:
    ///   - left: One value.
    ///   - right: The other.
    /// - Returns: Whether they are equal; values of unequal length are not, which is found at once.
    /// - Complexity: O(n) for equal lengths.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { first in
            unsafe right.withUnsafeBytes { second in
                unsafe sodium_memcmp(first.baseAddress, second.baseAddress, first.count) == 0
            }
        }
    }

    /// Overwrites an array's bytes with zeros in a way the optimizer keeps, and empties it.
    /// - Parameter bytes: The array; copies of it that share no storage are not reached.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in unsafe sodium_memzero(buffer.baseAddress, buffer.count) }
        bytes = []
    }
}
