import TestSupport
import Wire

extension DeviceRole: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> DeviceRole {
        allCases[generator.below(allCases.count)]
    }
}

extension DeviceCertificate: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> DeviceCertificate {
        DeviceCertificate(
            device: .sample(&generator),
            agreementKey: generator.bytes(32),
            encapsulationKey: generator.blob(),
            issued: generator.number(),
            name: generator.text(maximum: 63)
        )
    }
}

extension DeviceRemoval: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> DeviceRemoval {
        DeviceRemoval(
            of: .sample(&generator),
            keeping: generator.distinct(maximum: 3),
            witness: generator.coin() ? .sample(&generator) : nil
        )
    }
}

extension Naming: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> Naming {
        let pieces = ["a", " ", "é", "e\u{301}", "東", "🏮", "\u{200D}"]
        let device: DeviceID? = generator.coin() ? .sample(&generator) : nil
        return Naming(
            of: device,
            name: "n" + (0..<generator.below(15)).map { _ in pieces[generator.below(pieces.count)] }.joined()
        )
    }
}

extension AccountAction: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> AccountAction {
        generator.below(5) == 0 ? genesis(&generator) : laterAction(&generator)
    }

    static func genesis(_ generator: inout SeededGenerator) -> AccountAction {
        .genesis(
            recoveryKey: generator.bytes(32),
            firstDevice: SignedDeviceCertificate.sample(&generator).encoded,
            name: generator.text(maximum: 63)
        )
    }

    static func laterAction(_ generator: inout SeededGenerator) -> AccountAction {
        switch generator.below(8) {
        case 0:
            .addDevice(
                certificate: SignedDeviceCertificate.sample(&generator).encoded,
                role: .sample(&generator),
                name: generator.text(maximum: 63)
            )
        case 1: .removeDevice(.sample(&generator))
        case 2: .replaceRecoveryKey(generator.bytes(32))
        case 3: .pairKey(generator.bytes(32))
        case 4:
            .renewCertificate(generator.coin() ? SignedDeviceCertificate.sample(&generator).encoded : generator.blob())
        case 5: .renewFleetKey(generator.coin() ? FleetKeyRenewal.sample(&generator).encoded : generator.blob())
        case 6: .setName(generator.coin() ? Naming.sample(&generator).encoded : generator.blob())
        default: .unknown(tag: generator.coin() ? 0 : max(9, generator.number()), bytes: generator.blob())
        }
    }
}

extension AccountEntry: WireSample {
    static func sample(_ generator: inout SeededGenerator) -> AccountEntry {
        let isGenesis = generator.below(4) == 0
        return AccountEntry(
            account: isGenesis ? nil : .sample(&generator),
            parents: isGenesis ? [] : generator.distinct(minimum: 1, maximum: 3),
            author: generator.coin() ? .recovery : .device(.sample(&generator)),
            nonce: generator.bytes(16),
            action: isGenesis ? AccountAction.genesis(&generator) : AccountAction.laterAction(&generator)
        )
    }
}
