import Sync
import TestSupport
import Testing
import Wire

@Suite struct `The chunks of a payload` {
    private let secret: StoredSecret

    init() throws {
        secret = try #require(StoredSecret(Array(repeating: 7, count: StoredSecret.byteCount)))
    }

    private func written(
        _ pieces: [[UInt8]],
        announced: UInt64? = 1
    ) throws -> (chunks: [PayloadWriter.Chunk], outline: PayloadOutline) {
        var writer = try PayloadWriter(secret, announced: announced)
        var chunks: [PayloadWriter.Chunk] = []
        for piece in pieces {
            let isTaken = writer.append(piece)
            #expect(isTaken)
            while let chunk = writer.nextChunk() { chunks.append(chunk) }
        }
        let early = writer.outline()
        #expect(early == nil)
        writer.finish()
        while let chunk = writer.nextChunk() { chunks.append(chunk) }
        let outline = writer.outline()
        return (chunks, try #require(outline))
    }

    @Test(arguments: [0, 1, 63, 1_023, 65_534, 65_535, 65_536, 131_072, 200_000])
    func `return the written text, in any division into pieces`(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        var rest = bytes[...]
        var pieces: [[UInt8]] = []
        while !rest.isEmpty {
            let length = min(rest.count, Int.random(in: 1...90_000, using: &generator))
            pieces.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        let (chunks, outline) = try written(pieces)
        let whole = try written([bytes])
        #expect(whole.chunks == chunks && whole.outline == outline)
        #expect(outline.byteCount == PayloadWriter.paddedByteCount(UInt64(count)) && outline.byteCount > count)
        #expect(outline.chunks == chunks.map(\.hash) && chunks.map(\.position) == (0..<UInt64(chunks.count)).map { $0 })
        let sealer = try PayloadSealer(secret)
        var read: [UInt8] = []
        for chunk in chunks {
            #expect(outline.sealedByteCount(at: chunk.position) == chunk.bytes.count)
            #expect(PayloadChunk.hash(of: chunk.bytes) == chunk.hash)
            let plain = sealer.open(chunk.bytes, at: chunk.position)
            read += try #require(plain)
        }
        #expect(Array(read.prefix(count)) == bytes && read.dropFirst(count).allSatisfy { $0 == 0 })
    }

    @Test func `open at their place and under their secret only`() throws {
        let chunk = try #require(try written([[1, 2, 3]]).chunks.first)
        let other = try #require(StoredSecret(Array(repeating: 8, count: StoredSecret.byteCount)))
        let own = try PayloadSealer(secret)
        let foreign = try PayloadSealer(other)
        var results = [own.open(chunk.bytes, at: 0) != nil]
        results += [own.open(chunk.bytes, at: 1) == nil, foreign.open(chunk.bytes, at: 0) == nil]
        results += [own.open([], at: 0) == nil]
        #expect(results == [true, true, true, true])
    }

    @Test func `are larger where the payload is announced as large, or its size is not announced`() throws {
        let gigabyte: UInt64 = 1 << 30
        let sizes = [0, gigabyte, gigabyte + 1, .max].map { PayloadWriter.chunkByteCount(announced: $0) }
        #expect(sizes == [65_536, 65_536, 262_144, 262_144] && PayloadWriter.chunkByteCount(announced: nil) == 262_144)
        let bytes = [UInt8](repeating: 3, count: 300_000)
        let (chunks, outline) = try written([bytes], announced: nil)
        #expect(chunks.count == 2 && outline.chunkByteCount == 262_144)
        let sealer = try PayloadSealer(secret)
        let first = sealer.open(chunks[0].bytes, at: 0)
        #expect(first?.count == 262_144)
        // The same bytes in chunks of another size are another payload.
        let small = try written([bytes]).outline
        #expect(small.chunks.count == 5 && small.id != outline.id)
    }

    @Test func `do not tell how many bytes they have, nor whether two payloads are equal`() throws {
        let few = try written([[UInt8](repeating: 1, count: 70_001)]).outline
        let more = try written([[UInt8](repeating: 1, count: 70_500)]).outline
        #expect(few.byteCount == more.byteCount && few.id != more.id)
    }

    @Test func `are no more than fit one outline`() {
        #expect(PayloadWriter.paddedByteCount(PayloadWriter.byteCountMax) == Limits.payloadByteCountMax)
        #expect(PayloadWriter.paddedByteCount(.max) == Limits.payloadByteCountMax)
    }
}
