/// Hides the length of a body: a padded body has one of few sizes.
///
/// ISO/IEC 7816-4: a byte 0x80 and zeros up to the size. Sizes are multiples of 64 up to 1,024 bytes, and above that
/// those of Padmé (Nikitin et al., PoPETs 2019), which add an eighth at most and give away O(log log n) bits.
package enum BodyPadding {
    private static let mark: UInt8 = 0x80
    private static let smallStep = 64
    private static let smallMax = 1_024

    /// The size of the padded body.
    /// - Parameter count: Bytes of the body, at least 0.
    /// - Returns: More than that; at most an eighth more above 1 KiB.
    package static func paddedByteCount(_ count: Int) -> Int {
        let needed = count + 1
        if needed <= smallMax { return (needed + smallStep - 1) / smallStep * smallStep }
        // Padmé keeps as many leading bits as the number of bits of the exponent.
        let exponent = Int.bitWidth - 1 - needed.leadingZeroBitCount
        let kept = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - kept)) - 1
        return (needed + mask) & ~mask
    }

    /// Appends the padding.
    static func pad(_ bytes: inout [UInt8]) {
        let count = paddedByteCount(bytes.count)
        bytes.reserveCapacity(count + 16)
        bytes.append(mark)
        bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    }

    /// Removes the padding.
    /// - Parameter bytes: The opened bytes.
    /// - Returns: False for anything that ``pad(_:)`` does not make.
    static func unpad(_ bytes: inout [UInt8]) -> Bool {
        guard let end = bytes.lastIndex(where: { $0 != 0 }), bytes[end] == mark,
            paddedByteCount(end) == bytes.count
        else { return false }
        bytes.removeSubrange(end...)
        return true
    }
}
