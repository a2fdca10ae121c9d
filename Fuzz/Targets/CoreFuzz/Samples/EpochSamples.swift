import TestSupport
import Wire

extension ChainLink: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ChainLink {
        ChainLink(epoch: .sample(&generator), sealed: generator.bytes(sealedByteCount))
    }
}

extension KeyEnvelope: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> KeyEnvelope {
        KeyEnvelope(device: .sample(&generator), sealed: [1] + generator.blob(maximum: 60))
    }
}

extension KeyEpoch: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> KeyEpoch {
        let chain: [ChainLink] = generator.distinct(maximum: 3)
        let others = [Hash.sample(&generator)].filter { other in !chain.contains { $0.epoch == other } }
        return KeyEpoch(
            previous: chain.map(\.epoch) + others,
            confirm: .sample(&generator),
            chain: chain,
            envelopes: generator.distinct(maximum: 4)
        )
    }
}

extension KeyDelivery: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> KeyDelivery {
        KeyDelivery(
            epoch: .sample(&generator),
            disclosed: generator.coin() ? .sample(&generator) : nil,
            envelopes: generator.distinct(maximum: 4)
        )
    }
}

extension SealedBody: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> SealedBody {
        SealedBody(
            isTombstone: generator.coin(),
            commitment: .sample(&generator),
            nonce: generator.bytes(nonceByteCount),
            ciphertext: generator.bytes(tagByteCount + 1) + generator.blob(maximum: 200)
        )
    }
}
