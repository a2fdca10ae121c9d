import TestSupport
import Wire

extension SealedBody: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> SealedBody {
        SealedBody(
            isTombstone: generator.coin(),
            commitment: .sample(&generator),
            nonce: generator.bytes(nonceByteCount),
            ciphertext: generator.bytes(tagByteCount + 1 + generator.below(200))
        )
    }
}

extension KeyEnvelope: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> KeyEnvelope {
        KeyEnvelope(device: .sample(&generator), sealed: generator.bytes(1 + generator.below(60)))
    }
}

extension ChainLink: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> ChainLink {
        ChainLink(epoch: .sample(&generator), sealed: generator.bytes(sealedByteCount))
    }
}

extension KeyEpoch: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> KeyEpoch {
        // Two keys of one epoch are no chain, and two envelopes for one device no list.
        let links = generator.coin() ? [ChainLink.sample(&generator)] : []
        let previous = (0..<generator.below(3)).map { _ in Hash.sample(&generator) } + links.map(\.epoch)
        return KeyEpoch(
            previous: previous,
            confirm: .sample(&generator),
            chain: links,
            envelopes: generator.coin() ? [.sample(&generator)] : []
        )
    }
}

extension KeyRequest: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> KeyRequest {
        KeyRequest((0..<1 + generator.below(4)).map { _ in .sample(&generator) })
    }
}

extension KeyDelivery: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> KeyDelivery {
        KeyDelivery(
            epoch: .sample(&generator),
            disclosed: generator.coin() ? .sample(&generator) : nil,
            envelopes: generator.coin() ? [.sample(&generator)] : []
        )
    }
}
