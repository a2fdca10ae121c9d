import Testing
import Wire

/// The inputs that the reader refuses, field by field.
@Suite struct WireReaderTests {
    private func error<Value>(
        _ bytes: [UInt8],
        _ read: (inout WireReader) throws(WireError) -> Value
    ) -> WireError? {
        var reader = WireReader(bytes)
        do {
            _ = try read(&reader)
            return nil
        } catch {
            return error
        }
    }

    private func varintError(_ bytes: [UInt8]) -> WireError? {
        error(bytes) { reader throws(WireError) in try reader.readVarint() }
    }

    @Test(
        arguments: [
            (0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02"), (16_383, "ff7f"), (16_384, "808001"),
            (UInt64(UInt32.max), "ffffffff0f"), (UInt64(1) << 63, "80808080808080808001"),
            (.max, "ffffffffffffffffff01"),
        ] as [(UInt64, String)]
    )
    func `a varint takes its seven-bit groups, low ones first`(value: UInt64, hex: String) throws {
        var writer = WireWriter()
        writer.writeVarint(value)
        #expect(writer.bytes == Layout.bytes(hex))
        var reader = WireReader(writer.bytes)
        #expect(try reader.readVarint() == value)
        #expect(reader.remaining == 0)
    }

    @Test(arguments: [
        "8000", "ff00", "808000", "ffffffffffffffffff02", "80808080808080808080", "ffffffffffffffffffff01",
    ])
    func `a varint that is too long or too large is refused`(hex: String) {
        #expect(varintError(Layout.bytes(hex)) == .notMinimal)
    }

    @Test(arguments: ["", "80", "ffff", "ffffffffffffffffff"])
    func `a varint without its last byte is refused`(hex: String) {
        #expect(varintError(Layout.bytes(hex)) == .truncated)
    }

    @Test(
        arguments: [
            (0, "00"), (-1, "01"), (1, "02"), (-64, "7f"), (64, "8001"), (.max, "feffffffffffffffff01"),
            (.min, "ffffffffffffffffff01"),
        ] as [(Int64, String)]
    )
    func `a signed number is folded around zero`(value: Int64, hex: String) throws {
        var writer = WireWriter()
        writer.writeSigned(value)
        #expect(writer.bytes == Layout.bytes(hex))
        var reader = WireReader(writer.bytes)
        #expect(try reader.readSigned() == value)
    }

    @Test func `a flag is 0 or 1`() {
        #expect(error([2]) { reader throws(WireError) in try reader.readBool() } == .invalidValue("bool"))
        #expect(error([]) { reader throws(WireError) in try reader.readBool() } == .truncated)
    }

    @Test func `a not-a-number has one form`() throws {
        var writer = WireWriter()
        writer.writeDouble(-Double.signalingNaN)
        #expect(writer.bytes == Layout.bytes("7ff8000000000000"))
        for hex in ["7ff8000000000001", "fff8000000000000", "7ff0000000000001"] {
            let found = error(Layout.bytes(hex)) { reader throws(WireError) in try reader.readDouble() }
            #expect(found == .notCanonicalNaN)
        }
        var reader = WireReader(Layout.bytes("8000000000000000"))
        #expect(try reader.readDouble().bitPattern == (-0.0).bitPattern)
    }

    @Test func `a length is compared with its limit before the bytes are looked for`() {
        let huge = Layout.bytes("ffffffffffffffffff01")
        #expect(error(huge) { reader throws(WireError) in try reader.readBytes(maximum: 10) } == .tooLong(limit: 10))
        let short = Layout.bytes("0a 00")
        #expect(error(short) { reader throws(WireError) in try reader.readBytes(maximum: 10) } == .truncated)
    }

    @Test func `a count that exceeds the remaining bytes is refused before memory is allocated`() {
        let bytes = Layout.bytes("e807") + [UInt8](repeating: 0, count: 100)
        let found = error(bytes) { reader throws(WireError) in
            try reader.readCount(maximum: 1_000, itemByteCountMin: 1)
        }
        #expect(found == .truncated)
    }

    @Test(arguments: ["01 80", "02 c0af", "03 eda080", "04 f4908080", "02 c3c3"])
    func `a string that is not UTF-8 is refused`(hex: String) {
        #expect(
            error(Layout.bytes(hex)) { reader throws(WireError) in try reader.readString(maximum: 9) }
                == .invalidUTF8
        )
    }

    @Test func `a string is neither normalised nor cut at zero`() throws {
        for text in ["e\u{301}", "é", "a\u{0}b", "\u{FEFF}x"] {
            var writer = WireWriter()
            writer.writeString(text)
            var reader = WireReader(writer.bytes)
            #expect(try reader.readString(maximum: 10).isBytewiseEqual(to: text))
        }
    }

    @Test func `a string shorter than it must be is refused`() {
        let found = error([0]) { reader throws(WireError) in try reader.readString(minimum: 1, maximum: 9) }
        #expect(found == .invalidValue("string length"))
    }

    @Test func `a nested reader ends where its payload does`() throws {
        var reader = WireReader(Layout.bytes("02 aabb cc"))
        var nested = try reader.readNested(maximum: 5)
        #expect(try nested.readFixed(2) == [0xAA, 0xBB])
        #expect(nested.remaining == 0)
        #expect(throws: WireError.truncated) { try nested.readByte() }
        #expect(try reader.readByte() == 0xCC)
    }

    @Test func `a slice is read from its own beginning`() throws {
        let slice = Layout.bytes("ff 07 ff")[1..<2]
        var reader = WireReader(slice)
        #expect(try reader.readVarint() == 7)
        try reader.finish()
    }

    @Test func `bytes left over are refused`() {
        #expect(throws: WireError.trailingBytes) { try Lane(decoding: [1, 0]) }
    }

    @Test func `a tagged payload of 128 bytes and more has a longer length`() throws {
        for count in [0, 1, 127, 128, 200, 16_383, 16_384] {
            let payload = [UInt8](repeating: 0xEE, count: count)
            var expected = WireWriter()
            expected.writeVarint(9)
            expected.writeBytes(payload)
            var writer = WireWriter()
            writer.writeTagged(9) { $0.writeRaw(payload) }
            #expect(writer.bytes == expected.bytes)
        }
    }

    @Test func `a list out of order or with a repetition is refused`() {
        let first = Layout.fill(1)
        let second = Layout.fill(2)
        for hex in ["02" + second + first, "02" + first + first] {
            let found = error(Layout.bytes(hex)) { (reader) throws(WireError) -> [Hash] in
                try reader.readAscending(maximum: 9, itemByteCountMin: 32)
            }
            #expect(found == .notAscending)
        }
    }
}
