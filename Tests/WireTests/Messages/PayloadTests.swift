import Testing
import Wire

@Suite struct `The description of a payload` {
    private static let zone = Layout.id(1) as ZoneID

    private func outline(_ byteCount: UInt64, _ count: Int, of size: Int = Limits.chunkByteCount) -> PayloadOutline? {
        PayloadOutline(
            byteCount: byteCount,
            chunkByteCount: size,
            chunks: Array(repeating: Layout.id(3), count: count)
        )
    }

    @Test func `has as many chunks as its bytes make, and no others`() throws {
        #expect(outline(0, 0) == nil && outline(0, 1) == nil)
        #expect(outline(65_536, 1) != nil && outline(65_536, 2) == nil)
        #expect(outline(65_537, 2) != nil && outline(65_537, 1) == nil)
        let large = Limits.chunkByteCountMax
        #expect(outline(65_537, 1, of: large) != nil && outline(262_145, 2, of: large) != nil)
        #expect(outline(Limits.payloadByteCountMax, Limits.payloadChunkCountMax, of: large) != nil)
        #expect(outline(Limits.payloadByteCountMax + 1, Limits.payloadChunkCountMax + 1, of: large) == nil)
        let two = try #require(outline(65_540, 2))
        #expect((0..<3).map { two.sealedByteCount(at: $0) } == [65_552, 20, nil])
        #expect(outline(65_540, 1, of: large)?.sealedByteCount(at: 0) == 65_556)
    }

    @Test func `has chunks of one of two sizes, and at most 65,536 of either`() {
        for size in [0, 1, 65_535, 131_072, 262_143, 1 << 20] { #expect(outline(1, 1, of: size) == nil) }
        #expect(outline(1 << 32, 65_536) != nil && outline(1 << 32 + 1, 65_537) == nil)
    }

    @Test func `is refused where the chunks are not those of the bytes, or have another size`() throws {
        let encoded = try #require(outline(65_537, 2)).encoded
        var bytes = encoded
        bytes[0] = 0x80
        #expect(throws: WireError.invalidValue("byteCount")) { try PayloadOutline(decoding: bytes) }
        bytes = encoded
        bytes[3] = 0x81
        #expect(throws: WireError.invalidValue("chunkByteCount")) { try PayloadOutline(decoding: bytes) }
    }

    @Test func `fits one message at its largest`() throws {
        let count = Limits.payloadChunkCountMax
        let largest = try #require(outline(Limits.payloadByteCountMax, count, of: Limits.chunkByteCountMax))
        let answer = PayloadOutlineMessage(zone: Self.zone, payload: Layout.id(2), outline: largest)
        let message = PeerMessage.payloadOutline(answer)
        #expect(message.encoded.count <= Limits.outlineMessageByteCountMax)
        #expect(try PeerMessage(decoding: message.encoded) == message)
        #expect(try message.outgoingEncodings() == [message.encoded])
    }

    @Test(arguments: [[3, 3], [4, 3]] as [[UInt8]])
    func `is requested chunk by chunk, each once and in order`(positions: [UInt8]) {
        let bytes = Self.zone.bytes + Self.zone.bytes + [UInt8(positions.count)] + positions
        #expect(throws: WireError.notAscending) { try PayloadRequest(decoding: bytes) }
    }

    @Test func `is not requested beyond the end of the largest, nor too much at once`() {
        let many = Self.zone.bytes + Self.zone.bytes + [17] + Array(0..<17)
        #expect(throws: WireError.tooLong(limit: 16)) { try PayloadRequest(decoding: many) }
        let behind = Self.zone.bytes + Self.zone.bytes + [1, 0x80, 0x80, 4]
        #expect(throws: WireError.invalidValue("position")) { try PayloadRequest(decoding: behind) }
        #expect(throws: WireError.invalidValue("position")) {
            try PayloadChunk(decoding: Self.zone.bytes + Self.zone.bytes + [0x80, 0x80, 4, 0])
        }
    }
}
