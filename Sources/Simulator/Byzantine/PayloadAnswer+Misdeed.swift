import Sync
import Wire

extension PayloadAnswer {
    /// Returns the answer that a misdeed gives in place of this one.
    /// - Parameters:
    ///   - misdeed: The misdeed.
    ///   - request: The request.
    ///   - random: The source of randomness.
    /// - Returns: A well-formed answer.
    func after(_ misdeed: Misdeed, to request: PayloadRequest, _ random: inout SeededGenerator) -> PayloadAnswer {
        guard misdeed == .falsePayloads else { return .none }
        switch self {
        case .chunks(var chunks, _) where !chunks.isEmpty:
            let index = random.index(below: chunks.count)
            chunks[index] = chunks[index].changed(&random)
            return .chunks(chunks)
        case .outline(let outline, let sole?, _) where random.index(below: 2) == 0:
            return .outline(outline, sole: sole.changed(&random))
        case .chunks:
            let chunks = request.positions.map { position in
                PayloadChunk(
                    zone: request.zone,
                    payload: request.payload,
                    position: position,
                    bytes: random.bytes(1 + random.index(below: 300))
                )
            }
            return .chunks(chunks)
        case .outline, .none:
            guard request.positions.isEmpty else { return .none }
            let byteCount = random.number(1...300_000)
            let size = Limits.chunkByteCount
            let count = PayloadOutline.chunkCount(byteCount, chunkByteCount: size)
            let chunks = (0..<count).map { _ in Hash(random.digest()) }
            return PayloadOutline(byteCount: byteCount, chunkByteCount: size, chunks: chunks).map { .outline($0) }
                ?? .none
        }
    }
}

extension PayloadChunk {
    /// The chunk with another bit.
    fileprivate func changed(_ random: inout SeededGenerator) -> PayloadChunk {
        var bytes = bytes
        if !bytes.isEmpty { bytes[random.index(below: bytes.count)] ^= 1 << UInt8(random.index(below: 8)) }
        return PayloadChunk(zone: zone, payload: payload, position: position, bytes: bytes)
    }
}
