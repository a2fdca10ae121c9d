import Records
package import Wire

/// Makes the chunks of a payload from its bytes, as they come.
///
/// It holds one chunk and the last appended bytes in memory: take all chunks with ``nextChunk()`` before appending
/// more.
///
/// The size of the chunks follows from the announced size of the payload: an outline of small chunks would be long for a large one.
package struct PayloadWriter: ~Copyable {
    /// Bytes that a payload may have, so that with its padding it has no more than `Limits.payloadByteCountMax`.
    package static let byteCountMax = Limits.payloadByteCountMax - 1
    /// The most announced bytes for which chunks are of the smaller size: a gigabyte, whose outline then has half a megabyte.
    package static let smallByteCountMax: UInt64 = 1 << 30

    /// A sealed chunk.
    package struct Chunk: Sendable, Equatable {
        /// The position of the chunk, from 0.
        package let position: UInt64
        /// The hash in the outline.
        package let hash: Hash
        /// The sealed bytes.
        package let bytes: [UInt8]
    }

    /// Plain bytes of each chunk but the last.
    package let chunkByteCount: Int
    private let sealer: PayloadSealer
    private var buffer: [UInt8] = []
    private var taken = 0
    private var hashes: [Hash] = []
    /// Padding that is still to come; `nil` until the payload's end is known.
    private var padding: UInt64?
    /// Bytes that were appended.
    package private(set) var byteCount: UInt64 = 0

    /// Begins a payload.
    /// - Parameters:
    ///   - secret: The secret, which seals this payload and nothing else.
    ///   - announced: The bytes that it will have, as its uploader states; `nil` where that states none.
    /// - Throws: As ``PayloadSealer/init(_:)``.
    package init(_ secret: StoredSecret, announced: UInt64?) throws {
        sealer = try PayloadSealer(secret)
        chunkByteCount = Self.chunkByteCount(announced: announced)
    }

    /// Returns the size of a payload's chunks.
    /// - Parameter announced: The bytes that it will have, as its uploader states; `nil` where that states none.
    /// - Returns: Plain bytes of each chunk but the last.
    package static func chunkByteCount(announced: UInt64?) -> Int {
        guard let announced, announced <= smallByteCountMax else { return Limits.chunkByteCountMax }
        return Limits.chunkByteCount
    }

    /// The most bytes of this payload: in small chunks fewer, when more come than were announced.
    private var byteCountMax: UInt64 {
        min(Self.byteCountMax, UInt64(chunkByteCount * Limits.payloadChunkCountMax) - 1)
    }

    /// Plain bytes of all chunks of a payload, padding included.
    /// - Parameter byteCount: Bytes of the payload, at most ``byteCountMax``.
    /// - Returns: More than that.
    package static func paddedByteCount(_ byteCount: UInt64) -> UInt64 {
        UInt64(BodyPadding.paddedByteCount(Int(clamping: min(byteCount, byteCountMax))))
    }

    /// Takes more bytes of the payload.
    /// - Parameter bytes: Any number.
    /// - Returns: False, with nothing taken, when the payload would become too large.
    package mutating func append(_ bytes: some Collection<UInt8>) -> Bool {
        guard padding == nil, byteCount + UInt64(bytes.count) <= byteCountMax else { return false }
        byteCount += UInt64(bytes.count)
        if taken > 0 {
            buffer.removeFirst(taken)
            taken = 0
        }
        buffer.append(contentsOf: bytes)
        return true
    }

    /// Says that there are no more bytes; the last chunks can be taken then.
    package mutating func finish() {
        if padding == nil { padding = Self.paddedByteCount(byteCount) - byteCount }
    }

    /// Takes the next complete chunk.
    /// - Returns: `nil` when more bytes are needed, or all chunks were taken.
    package mutating func nextChunk() -> Chunk? {
        var count = buffer.count - taken
        if let left = padding, count < chunkByteCount {
            let zeros = Int(clamping: min(left, UInt64(chunkByteCount - count)))
            buffer.append(contentsOf: repeatElement(0, count: zeros))
            padding = left - UInt64(zeros)
            count += zeros
        }
        guard count >= chunkByteCount || (padding == 0 && count > 0) else { return nil }
        let plain = Array(buffer[taken..<taken + min(count, chunkByteCount)])
        taken += plain.count
        let position = UInt64(hashes.count)
        let bytes = sealer.seal(plain, at: position)
        let hash = PayloadChunk.hash(of: bytes)
        hashes.append(hash)
        return Chunk(position: position, hash: hash, bytes: bytes)
    }

    /// Returns the outline of the chunks.
    /// - Returns: `nil` until all were taken.
    package borrowing func outline() -> PayloadOutline? {
        guard padding == 0, taken == buffer.count else { return nil }
        return PayloadOutline(
            byteCount: Self.paddedByteCount(byteCount),
            chunkByteCount: chunkByteCount,
            chunks: hashes
        )
    }
}
