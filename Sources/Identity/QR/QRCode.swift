/// A QR code: a square of dark and light modules that a camera reads back as a text.
///
/// Pairing tickets are shown as one, so that nobody has to type 36 characters on a telephone. Written here because a
/// ticket needs a few hundred modules of one fixed error correction level and nothing else of the standard.
/// Versions 1 to 6, level M. Source: ISO/IEC 18004:2015.
package struct QRCode: Equatable, Sendable {
    /// Modules along one side without the quiet zone: 21 to 41.
    package let size: Int
    private let isDark: [Bool]

    /// Encodes a text in the smallest version that can hold it, under the mask with the least penalty.
    /// - Parameter text: Up to 154 characters of `0-9 A-Z space $%*+-./:`, or up to 106 bytes of other text.
    /// - Throws: ``QRCodeError/tooLong(bitCount:maximum:)`` when no version drawn here can hold it.
    /// - Complexity: O(modules), below a millisecond.
    package init(_ text: String) throws(QRCodeError) {
        let maximum = (QRVersion.all.last?.dataByteCount ?? 0) * 8
        // The count field of byte mode has eight bits; what would overflow it is too long in any case.
        guard text.utf8.count <= 255 else {
            throw .tooLong(bitCount: 12 + 8 * text.utf8.count, maximum: maximum)
        }
        let segment = QRSegment(text)
        guard let version = QRVersion.all.first(where: { segment.bits.count <= $0.dataByteCount * 8 }) else {
            throw .tooLong(bitCount: segment.bits.count, maximum: maximum)
        }
        var matrix = QRMatrix(version: version)
        matrix.place(QRRepair.codewords(for: segment.dataBytes(count: version.dataByteCount), version: version))
        var best = matrix.masked(by: QRMask.all[0])
        var leastPenalty = QRMask.penalty(of: best)
        for mask in QRMask.all.dropFirst() {
            let candidate = matrix.masked(by: mask)
            let penalty = QRMask.penalty(of: candidate)
            if penalty < leastPenalty {
                (best, leastPenalty) = (candidate, penalty)
            }
        }
        size = best.size
        isDark = best.isDark
    }

    /// Whether the module at a place is dark; everything outside of the code is light.
    /// - Parameters:
    ///   - row: From the top, 0-based.
    ///   - column: From the left, 0-based.
    package subscript(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return isDark[row * size + column]
    }
}
