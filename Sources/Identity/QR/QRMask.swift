/// One of the eight patterns that are laid over a code so that it has no misleading shapes.
///
/// Source: ISO/IEC 18004:2015 §7.8, table 10.
struct QRMask: Equatable {
    /// The pattern's number, 0...7.
    let number: Int

    /// All patterns, ascending.
    static let all = (0..<8).map { QRMask(number: $0) }

    /// Whether the pattern inverts the module at a place.
    func inverts(_ row: Int, _ column: Int) -> Bool {
        switch number {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: (row * column) % 2 + (row * column) % 3 == 0
        case 6: ((row * column) % 2 + (row * column) % 3) % 2 == 0
        default: ((row + column) % 2 + (row * column) % 3) % 2 == 0
        }
    }

    /// The fifteen format bits of level M under this mask: five data bits, ten of a BCH code, all under a fixed
    /// pattern.
    ///
    /// Level M is 00, so the mask's number alone is the data (§7.9, annex C).
    var formatBits: Int {
        var remainder = number
        for _ in 0..<10 {
            remainder = (remainder << 1) ^ ((remainder >> 9) * 0x537)
        }
        return (number << 10 | remainder) ^ 0x5412
    }

    /// How hard a masked code is to read; the mask with the least is used.
    ///
    /// Four rules of §7.8.3: runs of one colour, 2 × 2 blocks, shapes like a finder pattern, and the share of dark
    /// modules.
    /// - Complexity: O(modules).
    static func penalty(of matrix: QRMatrix) -> Int {
        let size = matrix.size
        var total = 0
        for line in 0..<size {
            let row = (0..<size).map { matrix[line, $0] }
            let column = (0..<size).map { matrix[$0, line] }
            total += runPenalty(row) + runPenalty(column) + finderPenalty(row) + finderPenalty(column)
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let colour = matrix[row, column]
                if matrix[row, column + 1] == colour, matrix[row + 1, column] == colour,
                    matrix[row + 1, column + 1] == colour
                {
                    total += 3
                }
            }
        }
        let darkCount = matrix.isDark.count { $0 }
        return total + abs(darkCount * 20 - size * size * 10) / (size * size) * 10
    }

    /// Three points for a run of five of one colour, one more for each further module.
    private static func runPenalty(_ line: [Bool]) -> Int {
        var total = 0
        var runLength = 0
        var previous: Bool?
        for module in line {
            runLength = module == previous ? runLength + 1 : 1
            previous = module
            if runLength == 5 {
                total += 3
            } else if runLength > 5 {
                total += 1
            }
        }
        return total
    }

    /// Forty points for 1 : 1 : 3 : 1 : 1 with four light modules before or after it.
    private static func finderPenalty(_ line: [Bool]) -> Int {
        let core = [true, false, true, true, true, false, true]
        let quiet = [false, false, false, false]
        let shapes = [quiet + core, core + quiet]
        guard line.count >= 11 else { return 0 }
        var total = 0
        for start in 0...line.count - 11 {
            let window = line[start..<start + 11]
            total += 40 * shapes.count { window.elementsEqual($0) }
        }
        return total
    }
}
