import Testing
import Wire

/// Logs byte for byte, and the inputs that their decoders refuse.
@Suite struct LogGoldenTests {
    @Test func `a tree head is written in the order of its drawing`() {
        #expect(Layout.head().isEncoded(as: Layout.bytes(Layout.headHex())))
    }

    @Test func `a signed head keeps the bytes that were signed`() throws {
        let signed = Layout.signedHead()
        #expect(signed.isEncoded(as: Layout.bytes(Layout.signedHeadHex())))
        #expect(signed.bodyBytes == Layout.bytes(Layout.headHex()))
        let received = try SignedTreeHead(decoding: Layout.bytes(Layout.signedHeadHex()))
        #expect(received.bodyBytes == signed.bodyBytes)
        #expect(received.head == signed.head)
    }

    @Test func `a head of no leaves is refused`() {
        #expect(throws: WireError.invalidValue("counter")) { try Layout.head(size: 0).checkedEncoding() }
    }

    @Test func `a log's key is zone, actor, lane and sorts so`() {
        let key = LogKey(zone: Layout.id(1), actor: Layout.id(2), lane: .data)
        #expect(key.isEncoded(as: Layout.bytes(Layout.fill(1), Layout.fill(2), "01")))
        #expect(LogKey(zone: Layout.id(1), actor: Layout.id(2), lane: .control) < key)
        #expect(key < LogKey(zone: Layout.id(1), actor: Layout.id(3), lane: .control))
        #expect(key < LogKey(zone: Layout.id(2), actor: Layout.id(1), lane: .control))
    }

    @Test func `a gap covers an aligned range`() throws {
        let gap = SubtreeGap(level: 3, index: 5, hash: Layout.id(7))
        #expect(gap.isEncoded(as: Layout.bytes("03 05", Layout.fill(7))))
        #expect(gap.firstLeaf == 40)
        #expect(gap.leafCount == 8)
        #expect(gap.endLeaf == 48)
    }

    @Test func `no gap reaches beyond 2^62 leaves`() {
        #expect(SubtreeGap(level: 62, index: 0, hash: .zero).endLeaf == Limits.counterMax)
        #expect(SubtreeGap(level: 0, index: Limits.counterMax - 1, hash: .zero).endLeaf == Limits.counterMax)
        for hex in ["3e01", "3f00", "ff00", "3d02", "00808080808080808040"] {
            #expect(throws: WireError.invalidValue("subtree")) {
                try SubtreeGap(decoding: Layout.bytes(hex, Layout.fill(0)))
            }
        }
    }

    @Test func `a log item is an operation or a gap`() {
        let operation = Operation(header: GoldenOperations.header, body: [])
        #expect(LogItem.operation(operation).isEncoded(as: Layout.bytes("01", GoldenOperations.headerHex, "00")))
        let gap = LogItem.gap(SubtreeGap(level: 1, index: 0, hash: Layout.id(7)))
        #expect(gap.isEncoded(as: Layout.bytes("03 01 00", Layout.fill(7))))
        #expect(gap.leafCount == 2)
        #expect(throws: WireError.unknownTag(4)) { try LogItem(decoding: Layout.bytes("04", Layout.fill(0, 40))) }
    }

    @Test func `a remnant of a superseded operation is not a log item`() {
        let stub = Layout.bytes("02", GoldenOperations.placeHex, Layout.fill(9))
        #expect(throws: WireError.unknownTag(2)) { try LogItem(decoding: stub) }
    }

    @Test func `a run is a signed head and the leaves that lead to it`() {
        let gap = SubtreeGap(level: 0, index: 4, hash: Layout.id(7))
        let run = Run(signedHead: Layout.signedHead(), from: 4, checkpoint: Layout.id(8), items: [.gap(gap)])
        let expected = Layout.bytes(
            Layout.signedHeadHex(),
            "04",
            Layout.fill(8),
            "01",
            "03 00 04",
            Layout.fill(7)
        )
        #expect(run.isEncoded(as: expected))
    }

    @Test func `a run that begins at its end is refused`() {
        let run = Run(signedHead: Layout.signedHead(), from: 5, checkpoint: .zero, items: [])
        #expect(throws: WireError.invalidValue("from")) { try run.checkedEncoding() }
    }

    @Test func `a checkpoint is written in the order of its drawing`() {
        let checkpoint = Checkpoint(
            logs: [
                LogPosition(actor: Layout.id(2), lane: .control, size: 1, root: Layout.id(3)),
                LogPosition(actor: Layout.id(1), lane: .data, size: 300, root: Layout.id(4)),
            ],
            liveRoot: Layout.id(5),
            liveCount: 128,
            lapsed: [Layout.id(7), Layout.id(6)],
            previous: .zero
        )
        let expected = Layout.bytes(
            "02",
            Layout.fill(1),
            "01 ac02",
            Layout.fill(4),
            Layout.fill(2),
            "00 01",
            Layout.fill(3),
            Layout.fill(5),
            "8001",
            "02",
            Layout.fill(6),
            Layout.fill(7),
            Layout.fill(0)
        )
        #expect(checkpoint.isEncoded(as: expected))
    }

    @Test func `a genesis is written in the order of its drawing`() {
        #expect(Layout.genesis.isEncoded(as: Layout.bytes(Layout.genesisHex)))
        #expect(Layout.genesis.identityBytes == [UInt8](Layout.bytes(Layout.genesisHex).dropLast(2)))
    }

    @Test func `control operations have tags and lengths`() {
        #expect(ControlBody.genesis(Layout.genesis).isEncoded(as: Layout.bytes("01 4a", Layout.genesisHex)))
        #expect(ControlBody.zoneDeletion(reason: "x").isEncoded(as: Layout.bytes("03 01 78")))
        #expect(ControlBody.unknown(tag: 18, bytes: [1, 2]).isEncoded(as: Layout.bytes("12 02 0102")))
        let empty = Checkpoint(logs: [], liveRoot: .zero, liveCount: 0, lapsed: [], previous: .zero)
        let expected = Layout.bytes("02 43 00", Layout.fill(0), "00 00", Layout.fill(0))
        #expect(ControlBody.checkpoint(empty).isEncoded(as: expected))
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9] as [UInt8])
    func `a known control operation is never read as unknown`(tag: UInt8) {
        #expect(throws: WireError.self) { try ControlBody(decoding: [tag, 1, 0xFF]) }
    }

    @Test func `a reason for a deletion is at most 1,024 bytes of UTF-8`() {
        let fitting = ControlBody.zoneDeletion(reason: String(repeating: "r", count: 1_024))
        #expect(throws: Never.self) { try fitting.checkedEncoding() }
        let long = ControlBody.zoneDeletion(reason: String(repeating: "r", count: 1_025))
        #expect(throws: WireError.tooLong(limit: 1_024)) { try long.checkedEncoding() }
        #expect(throws: WireError.invalidUTF8) { try ControlBody(decoding: [3, 1, 0xFF]) }
    }
}
