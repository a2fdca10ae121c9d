import TestSupport
import Testing
import Wire

/// Operations byte for byte: a change here is a change of the protocol.
@Suite struct OperationGoldenTests {
    @Test func `a header is written in the order of its drawing`() {
        #expect(GoldenOperations.header.isEncoded(as: Layout.bytes(GoldenOperations.headerHex)))
    }

    @Test func `a leaf is hashed over a prefix and the rest`() {
        let header = GoldenOperations.header
        #expect(header.leafPrefixBytes == Layout.bytes("00" + GoldenOperations.placeHex))
        #expect(header.restBytes == Layout.bytes("01" + GoldenOperations.restHex))
    }

    @Test func `prefix and rest together determine the header`() throws {
        var generator = SeededGenerator(seed: 31)
        for index in 0..<500 {
            let header = OperationHeader.sample(&generator)
            let joined = [header.restBytes[0]] + header.leafPrefixBytes.dropFirst() + header.restBytes.dropFirst()
            #expect(try OperationHeader(decoding: joined) == header, "seed 31, sample \(index)")
        }
    }

    @Test func `an operation is its header and its body`() {
        let operation = Operation(header: GoldenOperations.header, body: [0xAA, 0xBB])
        #expect(operation.isEncoded(as: Layout.bytes(GoldenOperations.headerHex, "02 aabb")))
    }

    @Test func `a header of another format is refused`() {
        var bytes = GoldenOperations.header.encoded
        bytes[0] = 2
        #expect(throws: WireError.unknownTag(2)) { try OperationHeader(decoding: bytes) }
    }

    @Test(arguments: ["00 00", "01 01", "03 02", "00 8108"])
    func `a place outside its batch, or a batch too large, is refused`(hex: String) {
        #expect(throws: WireError.invalidValue("batch")) { try BatchPlace(decoding: Layout.bytes(hex)) }
    }

    @Test func `the last place of the largest batch is accepted`() throws {
        let place = try BatchPlace(decoding: Layout.bytes("ff07 8008"))
        #expect(place == BatchPlace(index: 1_023, count: 1_024))
        #expect(place.isLast)
        #expect(!BatchPlace(index: 0, count: 2).isLast)
        #expect(BatchPlace.single.isLast)
    }

    @Test func `a lane is 0 or 1`() {
        #expect(Lane.control.isEncoded(as: [0]))
        #expect(Lane.data.isEncoded(as: [1]))
        #expect(throws: WireError.invalidValue("lane")) { try Lane(decoding: [2]) }
        #expect(Lane.control < Lane.data)
    }

    @Test func `a record is written in the order of its drawing`() {
        let dot = Dot(actor: Layout.id(3), counter: 1)
        let body = RecordBody(
            name: "r",
            type: "Note",
            isDeleted: false,
            parent: "p",
            creator: Layout.id(6),
            modifier: Layout.id(7),
            fields: [
                RecordField(name: "b", entries: [FieldEntry(dot: dot, time: HybridTime(raw: 9), value: .bool(true))]),
                RecordField(name: "a", entries: [FieldEntry(dot: dot, time: HybridTime(raw: 8), value: .null)]),
            ],
            unknownExtension: [0xEE]
        )
        let expected = Layout.bytes(
            "01",
            "01 72",
            "04 4e6f7465",
            "00",
            "01 01 70",
            Layout.fill(6),
            Layout.fill(7),
            "02",
            "01 61",
            "01",
            Layout.fill(3),
            "01",
            "0000000000000008",
            "00 00",
            "01 62",
            "01",
            Layout.fill(3),
            "01",
            "0000000000000009",
            "04 01 01",
            "01 ee"
        )
        #expect(body.isEncoded(as: expected))
        #expect(body.field(named: "b")?.entries.first?.value == .bool(true))
        #expect(body.field(named: "c") == nil)
        #expect(body.field(named: "") == nil)
    }

    @Test func `fields sort by the bytes of their names`() {
        let entry = FieldEntry(dot: Dot(actor: Layout.id(3), counter: 1), time: .zero, value: .null)
        let body = RecordBody(
            name: "r",
            type: "t",
            isDeleted: true,
            parent: nil,
            creator: Layout.id(6),
            modifier: Layout.id(6),
            fields: ["é", "e\u{301}", "Z", "a"].map { RecordField(name: $0, entries: [entry]) }
        )
        let names = body.fields.map { [UInt8]($0.name.utf8) }
        #expect(names == [[0x5A], [0x61], [0x65, 0xCC, 0x81], [0xC3, 0xA9]])
        #expect(throws: Never.self) { try body.checkedEncoding() }
        #expect(body.field(named: "é")?.name.utf8.count == 2)
    }
}
