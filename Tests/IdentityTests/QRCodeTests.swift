import Testing

@testable import Identity

@Suite struct QRCodeTests {
    @Test func `the repair symbols are those of the standard's worked example`() {
        // ISO/IEC 18004:2015 annex I: "01234567" as version 1-M.
        let data: [UInt8] = [
            0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
        ]
        let repair = QRRepair.remainder(of: data, by: QRRepair.generator(degree: 10))
        #expect(repair == [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55])
    }

    @Test func `the format bits are those of the standard's table`() {
        // ISO/IEC 18004:2015 table C.1, level M, masks 0 to 7.
        #expect(
            QRMask.all.map(\.formatBits) == [
                0x5412, 0x5125, 0x5E7C, 0x5B4B, 0x45F9, 0x40CE, 0x4F97, 0x4AA0,
            ]
        )
    }

    @Test func `alphanumeric text is packed as in the standard's example`() {
        // ISO/IEC 18004:2015 §7.4.4: "AC-42" is 0010 000000101 00111001110 11100111001 000010.
        let bits = QRSegment("AC-42").bits.map { $0 ? "1" : "0" }.joined()
        #expect(bits == "0010" + "000000101" + "00111001110" + "11100111001" + "000010")
    }

    @Test(arguments: [(1, 20), (2, 38), (3, 61), (4, 90), (5, 122), (6, 154)])
    func `each version holds as many characters as the standard says`(version: Int, capacity: Int) throws {
        let full = String(repeating: "A", count: capacity)
        #expect(try QRCode(full).size == 17 + 4 * version)
        if version < 6 {
            #expect(try QRCode(full + "A").size == 17 + 4 * (version + 1))
        } else {
            #expect(throws: QRCodeError.tooLong(bitCount: 866, maximum: 864)) { try QRCode(full + "A") }
        }
    }

    @Test func `long other text is refused`() {
        #expect(throws: QRCodeError.tooLong(bitCount: 868, maximum: 864)) {
            try QRCode(String(repeating: "a", count: 107))
        }
        #expect(throws: QRCodeError.tooLong(bitCount: 80_012, maximum: 864)) {
            try QRCode(String(repeating: "a", count: 10_000))
        }
    }

    @Test func `fixed patterns stand where a reader looks for them`() throws {
        let code = try QRCode("KAIRAN:TEST")
        let edge = code.size - 1
        for (row, column) in [(0, 0), (0, edge - 6), (edge - 6, 0)] {
            for offset in 0...6 {
                #expect(code[row, column + offset] && code[row + 6, column + offset])
                #expect(code[row + offset, column] && code[row + offset, column + 6])
            }
            #expect(!code[row + 1, column + 1] && code[row + 3, column + 3])
        }
        for index in 8..<code.size - 8 {
            #expect(code[6, index] == (index % 2 == 0) && code[index, 6] == (index % 2 == 0))
        }
        #expect(code[code.size - 8, 8])
        #expect(!code[-1, 0] && !code[0, code.size])
    }

    @Test func `the drawing of a known text does not change`() throws {
        // Drawn once and read back by two independent decoders.
        #expect(try QRCode("KAIRAN").terminalLines(on: .light, quietZone: 0) == Self.golden)
    }

    @Test func `both drawings are opposites and have the quiet zone`() throws {
        let code = try QRCode("KAIRAN")
        let light = code.terminalLines(on: .light)
        let dark = code.terminalLines(on: .dark)
        let opposite: [Character: Character] = ["█": " ", " ": "█", "▀": "▄", "▄": "▀"]
        #expect(light.count == (code.size + 8 + 1) / 2)
        #expect(light.allSatisfy { $0.count == code.size + 8 })
        #expect(light.first?.allSatisfy { $0 == " " } == true)
        #expect(dark.first?.allSatisfy { $0 == "█" } == true)
        for (lightLine, darkLine) in zip(light.dropLast(), dark.dropLast()) {
            #expect(String(lightLine.compactMap { opposite[$0] }) == darkLine)
        }
        // An odd number of rows: the lower half of the last line lies outside of the code.
        #expect(dark.last?.allSatisfy { $0 == "▀" } == true)
        #expect(code.terminalText() == dark.map { $0 + "\n" }.joined())
    }

    static let golden = [
        "█▀▀▀▀▀█ ▀█ █▄ █▀▀▀▀▀█",
        "█ ███ █ ▀▀▄ ▀ █ ███ █",
        "█ ▀▀▀ █ ▄▀ ██ █ ▀▀▀ █",
        "▀▀▀▀▀▀▀ ▀ █ █ ▀▀▀▀▀▀▀",
        "█▄█   ▀▀▄█▀▄ ▄▄█ ▄▀ █",
        "▀▀▄▀▀ ▀▄████▀█▄█▀▀▄  ",
        "  ▀▀▀ ▀▀█▀▄▀▀▀▀▀▀▀██▄",
        "█▀▀▀▀▀█ ▀ ▄ ▄ ▀ ▄█ ██",
        "█ ███ █  █▄▄ ▄█  ▄ ▀▀",
        "█ ▀▀▀ █ ▀▀ █▀█▄▀▀█ ▀█",
        "▀▀▀▀▀▀▀ ▀▀▀▀▀▀▀▀▀▀▀▀▀",
    ]
}
