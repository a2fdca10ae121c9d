import TestSupport
import Wire

extension Identifier: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Identifier<Kind> {
        Identifier(generator.digest())
    }
}

extension Incarnation: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Incarnation {
        Incarnation(using: &generator)
    }
}

extension Signature64: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Signature64 {
        guard let signature = Signature64(generator.bytes(Signature64.byteCount)) else {
            preconditionFailure("64 bytes are a signature")
        }
        return signature
    }
}

extension Dot: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Dot {
        Dot(actor: .sample(&generator), counter: generator.counter())
    }
}

extension VersionVector: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> VersionVector {
        VersionVector(covering: generator.list(maximum: 6))
    }

    /// A vector over few actors and counters, so that random ones are often comparable.
    static func small(_ generator: inout SeededGenerator) -> VersionVector {
        var vector = VersionVector()
        for index in 0..<4 {
            let actor = ActorID(Digest32(word0: UInt64(index), word1: 0, word2: 0, word3: 0))
            vector[actor] = UInt64(generator.below(3))
        }
        return vector
    }
}

extension HybridTime: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> HybridTime {
        HybridTime(raw: generator.number())
    }
}

extension Lane: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Lane {
        generator.coin() ? .control : .data
    }
}

extension BatchPlace: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> BatchPlace {
        let count = 1 + UInt32(generator.number(maximum: UInt64(Limits.batchOperationCountMax) - 1))
        return BatchPlace(index: UInt32(generator.below(Int(count))), count: count)
    }
}
