import Testing
import Wire

/// Values byte for byte, and the conditions under which two of them are equal.
@Suite struct FieldValueTests {
    private static let golden: [(value: FieldValue, hex: String)] = [
        (.null, "00 00"),
        (.string("hé"), "01 03 68c3a9"),
        (.int64(-2), "02 01 03"),
        (.double(1.5), "03 08 3ff8000000000000"),
        (.bool(false), "04 01 00"),
        (.bytes([1, 2]), "05 02 0102"),
        (.date(milliseconds: 1_000), "06 02 d00f"),
        (.location(latitude: -1, longitude: 2), "07 10 bff0000000000000 4000000000000000"),
        (.reference(zone: nil, record: "r"), "08 03 00 01 72"),
        (.reference(zone: Layout.id(2), record: "r"), "08 23 01" + Layout.fill(2) + "01 72"),
        (
            .asset(
                AssetDescriptor(
                    payload: Layout.id(3),
                    size: 300,
                    secret: AssetSecret([UInt8](repeating: 5, count: AssetSecret.byteCount)) ?? .unknown,
                    mediaType: "a/b",
                    fileName: "n",
                    modified: -1,
                    thumbnail: [9]
                )
            ), "09 4c" + Layout.fill(3) + "ac02" + Layout.fill(5) + "03 612f62 01 6e 01 01 01 09"
        ),
        (.list([.null, .int64(1)]), "0a 06 02 00 00 02 01 02"),
        (
            .counter(CounterState(entries: [.init(actor: Layout.id(4), counter: 7, total: -1)])),
            "0b 23 01" + Layout.fill(4) + "07 01"
        ),
        (
            .set(SetState(entries: [.init(element: .int64(1), dots: [Dot(actor: Layout.id(5), counter: 6)])])),
            "0c 26 01 02 01 02 01" + Layout.fill(5) + "06"
        ),
        (.anchor(record: "r"), "0d 02 01 72"),
        (.unknown(tag: 300, bytes: [0xFE]), "ac02 01 fe"),
    ]

    @Test(arguments: 0..<golden.count)
    func `each kind of value is written as drawn`(index: Int) {
        let (value, hex) = Self.golden[index]
        #expect(value.encoded == Layout.bytes(hex))
        #expect(value.isEncoded(as: Layout.bytes(hex)))
    }

    @Test func `an unknown kind is kept byte for byte`() throws {
        let bytes = Layout.bytes("0e 03 ffffff")
        let value = try FieldValue(decoding: bytes)
        #expect(value == .unknown(tag: 14, bytes: [0xFF, 0xFF, 0xFF]))
        #expect(value.encoded == bytes)
    }

    @Test(arguments: 0..<14)
    func `a known tag is never read as unknown`(tag: Int) {
        // A payload that no known kind has: each must be refused rather than kept.
        let payload = [UInt8](repeating: 0xFF, count: 17)
        var writer = WireWriter()
        writer.writeTagged(UInt64(tag)) { $0.writeRaw(payload) }
        // A refusal is expected; kind 5 is raw bytes, for which any payload is right.
        let value = try? FieldValue(decoding: writer.bytes)
        #expect(value == (tag == 5 ? .bytes(payload) : nil))
    }

    @Test func `a payload with bytes left over is refused`() {
        for hex in ["00 01 00", "02 02 0300", "04 02 0000", "03 09 3ff800000000000000", "0a 02 0000"] {
            #expect(throws: WireError.trailingBytes) { try FieldValue(decoding: Layout.bytes(hex)) }
        }
    }

    @Test func `strings are equal by bytes, not by how they look`() {
        #expect(FieldValue.string("é") != .string("e\u{301}"))
        #expect(FieldValue.reference(zone: nil, record: "é") != .reference(zone: nil, record: "e\u{301}"))
        #expect(Set([FieldValue.string("é"), .string("e\u{301}")]).count == 2)
    }

    @Test func `doubles are equal by bits`() {
        #expect(FieldValue.double(0) != .double(-0.0))
        #expect(FieldValue.double(.nan) == .double(.signalingNaN))
        #expect(FieldValue.double(.nan).hashValue == FieldValue.double(-.nan).hashValue)
    }

    @Test func `kinds with the same content are unequal`() {
        #expect(FieldValue.int64(5) != .date(milliseconds: 5))
        #expect(FieldValue.string("a") != .bytes([0x61]))
    }

    @Test func `a set's elements are no containers`() {
        let dot = Dot(actor: Layout.id(1), counter: 1)
        let containers: [FieldValue] = [.list([]), .set(SetState(entries: [])), .counter(CounterState(entries: []))]
        for element in containers {
            let state = SetState(entries: [.init(element: element, dots: [dot])])
            #expect(throws: WireError.invalidValue("set element")) { try state.checkedEncoding() }
        }
    }

    @Test func `an element without a dot, or given twice, is refused`() {
        let dot = Dot(actor: Layout.id(1), counter: 1)
        let bare = SetState(entries: [.init(element: .string(String(repeating: "x", count: 40)), dots: [])])
        #expect(throws: WireError.invalidValue("set dots")) { try bare.checkedEncoding() }
        let twice = SetState(
            entries: [.init(element: .null, dots: [dot]), .init(element: .null, dots: [dot])]
        )
        #expect(throws: WireError.notAscending) { try twice.checkedEncoding() }
    }

    @Test func `a list holds neither counters nor sets`() {
        for value in [FieldValue.set(SetState(entries: [])), .counter(CounterState(entries: []))] {
            #expect(throws: WireError.invalidValue("list item")) { try FieldValue.list([value]).checkedEncoding() }
        }
    }

    @Test func `a counter's value is the sum of its totals and wraps around`() {
        let state = CounterState(
            entries: [
                .init(actor: Layout.id(2), counter: 1, total: .max),
                .init(actor: Layout.id(1), counter: 1, total: 2),
            ]
        )
        #expect(state.value == .min + 1)
        #expect(state.entries.map(\.actor) == [Layout.id(1), Layout.id(2)])
    }
}
