import TestSupport
import Wire

extension AccessLevel: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> AccessLevel {
        allCases[generator.below(allCases.count)]
    }
}

extension Rights: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Rights {
        Rights(.sample(&generator), canDelegate: generator.coin())
    }
}

extension CapabilityResource: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> CapabilityResource {
        switch generator.below(3) {
        case 0: .zone(.sample(&generator))
        case 1: .relay(.sample(&generator))
        default: .account(.sample(&generator))
        }
    }
}

extension Caveats: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Caveats {
        Caveats(
            recordTypes: (0..<generator.below(5)).map { _ in generator.text() },
            namePrefix: generator.text(minimum: 0),
            notBefore: generator.coin() ? generator.number() : nil,
            expires: generator.coin() ? generator.number() : nil,
            delegationDepth: UInt8(generator.below(Int(Limits.delegationDepthMax) + 1))
        )
    }
}

extension Capability: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Capability {
        Capability(
            resource: .sample(&generator),
            issuer: .sample(&generator),
            signer: .sample(&generator),
            audience: .sample(&generator),
            rights: .sample(&generator),
            caveats: .sample(&generator),
            parent: generator.coin() ? .zero : .sample(&generator),
            nonce: generator.bytes(Capability.nonceByteCount)
        )
    }
}

extension Grant: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Grant {
        Grant(.sample(&generator))
    }
}

extension Revocation: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Revocation {
        Revocation(
            capabilities: generator.distinct(minimum: 1, maximum: 3),
            cuts: generator.distinct(maximum: 3),
            regrants: generator.distinct(maximum: 2),
            reason: generator.text(minimum: 0, maximum: 40)
        )
    }
}

extension TransferConsent: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> TransferConsent {
        TransferConsent(
            zone: .sample(&generator),
            ownership: generator.coin() ? .zero : .sample(&generator),
            account: .sample(&generator),
            offer: .sample(&generator),
            device: .sample(&generator)
        )
    }
}

extension SignedTransferConsent: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> SignedTransferConsent {
        SignedTransferConsent(consent: .sample(&generator), signature: .sample(&generator))
    }
}

extension TransferOffer: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> TransferOffer {
        if generator.below(4) == 0 { return .withdrawal }
        return TransferOffer(to: .sample(&generator), keeps: generator.coin() ? .sample(&generator) : nil)
    }
}

extension TransferAnswer: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> TransferAnswer {
        generator.coin() ? .accepted(.sample(&generator)) : .declined(offer: .sample(&generator))
    }
}

extension OwnershipTransfer: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> OwnershipTransfer {
        OwnershipTransfer(
            consent: .sample(&generator),
            cuts: generator.distinct(maximum: 3),
            regrants: generator.distinct(maximum: 2)
        )
    }
}

extension Leave: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Leave {
        Leave(cuts: generator.distinct(maximum: 3))
    }
}

extension CutRaise: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> CutRaise {
        CutRaise(capability: .sample(&generator), cuts: generator.distinct(maximum: 3))
    }
}

extension DeviceCuts: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> DeviceCuts {
        DeviceCuts(devices: generator.distinct(maximum: 3), cuts: generator.distinct(maximum: 3))
    }
}

extension PublicRights: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PublicRights {
        PublicRights(rawValue: UInt8(generator.below(8)))
    }
}

extension PublicAccess: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> PublicAccess {
        PublicAccess(world: .sample(&generator), authenticated: .sample(&generator), creator: .sample(&generator))
    }
}
