/// The square of modules while it is drawn: which are dark, and which belong to fixed patterns.
///
/// Source: ISO/IEC 18004:2015 §6.3 (patterns), §7.7 (placement), §7.8 (masks), §7.9 (format information).
struct QRMatrix {
    let size: Int
    private(set) var isDark: [Bool]
    private var isFixed: [Bool]

    /// Draws finder, timing and alignment patterns and keeps the places of the format information free.
    init(version: QRVersion) {
        size = version.size
        isDark = Array(repeating: false, count: size * size)
        isFixed = isDark
        for index in 0..<size {
            setFixed(row: 6, column: index, dark: index % 2 == 0)
            setFixed(row: index, column: 6, dark: index % 2 == 0)
        }
        drawFinder(row: 3, column: 3)
        drawFinder(row: 3, column: size - 4)
        drawFinder(row: size - 4, column: 3)
        if let centre = version.alignmentCentre {
            drawRings(row: centre, column: centre, radius: 2, lightDistances: [1])
        }
        drawFormat(mask: .all[0])
    }

    /// Whether the module at a place is dark.
    subscript(row: Int, column: Int) -> Bool {
        isDark[row * size + column]
    }

    /// Writes the symbols into the free modules: two columns at a time from the right, upwards and downwards in turn.
    mutating func place(_ codewords: [UInt8]) {
        var bitIndex = 0
        var isUpward = true
        var right = size - 1
        while right >= 1 {
            // The vertical timing pattern is no column of the zigzag.
            if right == 6 { right = 5 }
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed[row * size + column] {
                    // Versions 2 to 6 have seven modules more than bits; they stay light.
                    guard bitIndex < codewords.count * 8 else { continue }
                    let byte = codewords[bitIndex / 8]
                    isDark[row * size + column] = (byte >> UInt8(7 - bitIndex % 8)) & 1 == 1
                    bitIndex += 1
                }
            }
            isUpward.toggle()
            right -= 2
        }
    }

    /// The same code under a mask, with the format information that names it.
    func masked(by mask: QRMask) -> QRMatrix {
        var result = self
        for row in 0..<size {
            for column in 0..<size where !isFixed[row * size + column] && mask.inverts(row, column) {
                result.isDark[row * size + column].toggle()
            }
        }
        result.drawFormat(mask: mask)
        return result
    }

    /// Level M and the mask, protected by a (15, 5) BCH code, twice around the finder patterns.
    private mutating func drawFormat(mask: QRMask) {
        let bits = mask.formatBits
        func bit(_ index: Int) -> Bool { (bits >> index) & 1 == 1 }
        for index in 0...5 {
            setFixed(row: index, column: 8, dark: bit(index))
        }
        setFixed(row: 7, column: 8, dark: bit(6))
        setFixed(row: 8, column: 8, dark: bit(7))
        setFixed(row: 8, column: 7, dark: bit(8))
        for index in 9...14 {
            setFixed(row: 8, column: 14 - index, dark: bit(index))
        }
        for index in 0...7 {
            setFixed(row: 8, column: size - 1 - index, dark: bit(index))
        }
        for index in 8...14 {
            setFixed(row: size - 15 + index, column: 8, dark: bit(index))
        }
        // One module beside the lower finder pattern is always dark.
        setFixed(row: size - 8, column: 8, dark: true)
    }

    private mutating func drawFinder(row: Int, column: Int) {
        drawRings(row: row, column: column, radius: 4, lightDistances: [2, 4])
    }

    /// Concentric squares around a centre, clipped at the edge of the code.
    private mutating func drawRings(row: Int, column: Int, radius: Int, lightDistances: Set<Int>) {
        for rowOffset in -radius...radius {
            for columnOffset in -radius...radius {
                let (y, x) = (row + rowOffset, column + columnOffset)
                guard (0..<size).contains(y), (0..<size).contains(x) else { continue }
                let distance = max(abs(rowOffset), abs(columnOffset))
                setFixed(row: y, column: x, dark: !lightDistances.contains(distance))
            }
        }
    }

    private mutating func setFixed(row: Int, column: Int, dark: Bool) {
        isDark[row * size + column] = dark
        isFixed[row * size + column] = true
    }
}
