import TestSupport
import Wire

extension PayloadRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PayloadRequest {
        let positions = (0..<generator.below(Limits.chunkRequestCountMax + 1)).map { _ in
            UInt64(generator.below(Limits.payloadChunkCountMax))
        }
        return PayloadRequest(zone: .sample(&generator), payload: .sample(&generator), positions: positions)
    }
}

extension PayloadOutline: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PayloadOutline {
        let size = PayloadOutline.chunkByteCounts[generator.below(PayloadOutline.chunkByteCounts.count)]
        let byteCount = UInt64(1 + generator.below(5 * size))
        let count = PayloadOutline.chunkCount(byteCount, chunkByteCount: size)
        let chunks = (0..<count).map { _ in Hash.sample(&generator) }
        guard let outline = PayloadOutline(byteCount: byteCount, chunkByteCount: size, chunks: chunks) else {
            preconditionFailure("the number of chunks is that of the bytes")
        }
        return outline
    }
}

extension PayloadOutlineMessage: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PayloadOutlineMessage {
        PayloadOutlineMessage(
            zone: .sample(&generator),
            payload: .sample(&generator),
            outline: .sample(&generator)
        )
    }
}

extension PayloadChunk: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PayloadChunk {
        PayloadChunk(
            zone: .sample(&generator),
            payload: .sample(&generator),
            position: UInt64(generator.below(Limits.payloadChunkCountMax)),
            bytes: generator.blob(maximum: 300)
        )
    }
}

extension CustodyRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> CustodyRequest {
        let byteCount = UInt64(generator.below(1 << 30))
        return CustodyRequest(
            zone: .sample(&generator),
            payload: .sample(&generator),
            byteCount: byteCount,
            kind: generator.below(2) == 0 ? .message : .record
        )
    }
}

extension CustodyAnswer: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> CustodyAnswer {
        let outcomes: [Outcome] = [.stored(until: generator.next()), .full, .refused, .released]
        let outcome = outcomes[generator.below(outcomes.count)]
        return CustodyAnswer(zone: .sample(&generator), payload: .sample(&generator), outcome: outcome)
    }
}

extension RetentionRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RetentionRequest {
        let payloads = (0...generator.below(4)).map { _ in PayloadID.sample(&generator) }
        return RetentionRequest(zone: .sample(&generator), asksForPromises: generator.below(2) == 0, payloads: payloads)
    }
}

extension RetentionAnswer: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> RetentionAnswer {
        let isAboutPromises = generator.below(2) == 0
        let held: RetentionStatus.Word = isAboutPromises ? .promised(until: generator.next()) : .held
        let words = [held, .absent, .evicting, .refused]
        let payloads = Set((0...generator.below(4)).map { _ in PayloadID.sample(&generator) })
        let statuses = payloads.sorted { $0.digest < $1.digest }.map {
            RetentionStatus(payload: $0, word: words[generator.below(words.count)])
        }
        return RetentionAnswer(zone: .sample(&generator), isAboutPromises: isAboutPromises, statuses: statuses)
    }
}
