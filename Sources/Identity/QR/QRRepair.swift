/// The Reed–Solomon code of QR symbols, over GF(2⁸) with the polynomial x⁸ + x⁴ + x³ + x² + 1.
///
/// Source: ISO/IEC 18004:2015 §7.5 and annex A.
enum QRRepair {
    /// The product of two field elements.
    /// - Parameters:
    ///   - left: One factor.
    ///   - right: The other.
    /// - Returns: The product, by shift and add.
    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for bit in stride(from: UInt8(7), through: 0, by: -1) {
            // Doubling in the field: shift, and reduce when a bit falls out.
            result = (result << 1) ^ (result & 0x80 == 0 ? 0 : 0x1D)
            if (right >> bit) & 1 == 1 {
                result ^= left
            }
        }
        return result
    }

    /// The generator polynomial (x − 2⁰)(x − 2¹)… with its leading one left out, highest power first.
    /// - Parameter degree: Its degree, the number of repair symbols.
    /// - Returns: `degree` coefficients.
    /// - Complexity: O(degree²).
    static func generator(degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree)
        guard degree > 0 else { return [] }
        coefficients[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < degree {
                    coefficients[index] ^= coefficients[index + 1]
                }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    /// The repair symbols of one block: the remainder of data · xⁿ by the generator.
    /// - Parameters:
    ///   - data: The block's data symbols.
    ///   - generator: From ``generator(degree:)``.
    /// - Returns: As many symbols as the generator has coefficients.
    /// - Complexity: O(data · degree).
    static func remainder(of data: [UInt8], by generator: [UInt8]) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ (remainder.first ?? 0)
            remainder = remainder.dropFirst() + [0]
            for (index, coefficient) in generator.enumerated() {
                remainder[index] ^= product(coefficient, factor)
            }
        }
        return remainder
    }

    /// Splits data into blocks, adds each block's repair symbols, and interleaves them all.
    /// - Parameters:
    ///   - data: All data symbols of the version.
    ///   - version: The version.
    /// - Returns: The symbols in the order in which they are drawn.
    static func codewords(for data: [UInt8], version: QRVersion) -> [UInt8] {
        let size = version.dataByteCountPerBlock
        let generator = generator(degree: version.repairByteCountPerBlock)
        let blocks = (0..<version.blockCount).map { Array(data[$0 * size..<($0 + 1) * size]) }
        let repairs = blocks.map { remainder(of: $0, by: generator) }
        let interleavedData = (0..<size).flatMap { index in blocks.map { $0[index] } }
        let interleavedRepair = (0..<version.repairByteCountPerBlock).flatMap { index in repairs.map { $0[index] } }
        return interleavedData + interleavedRepair
    }
}
