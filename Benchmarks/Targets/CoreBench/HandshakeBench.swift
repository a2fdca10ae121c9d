import Sealing
import Session
import Sodium
import Wire

/// The channel's handshake in each version, and what the second one adds.
struct HandshakeBench: ~Copyable {
    private let mechanism = MLKEM768Encapsulation()
    private let secret: ChannelSecret
    private let initiatorKey = AgreementKey.generate()
    private let responderKey = AgreementKey.generate()
    /// As long as a certificate with a few heads.
    private let payload = [UInt8](repeating: 7, count: 500)

    init() {
        secret = ChannelSecret(purpose: .fleet, key: .generate())
    }

    func run() {
        row("handshakes", ["a second", "us", "x X25519"])
        let agreement = agreementMeasurement()
        let beside = { (measured: Measurement) in
            [
                text(measured.rate, 0), text(measured.microseconds, 1),
                text(measured.microseconds / agreement.microseconds, 2),
            ]
        }
        row("  one X25519 secret", beside(agreement))
        for version in ChannelVersion.allCases {
            let measured = Measurement { handshake(version) }
            row("  both sides, version \(version.rawValue)", beside(measured))
        }
        let seed = SecretBytes(randomCount: ChannelLimits.encapsulationSeedByteCount, placement: .transient)
        let randomness = SecretBytes(randomCount: ChannelLimits.encapsulationRandomnessByteCount, placement: .transient)
        guard let key = try? mechanism.makeKey(seed: seed),
            let ciphertext = try? mechanism.encapsulate(to: key.encapsulationKey, randomness: randomness).ciphertext
        else { preconditionFailure("the mechanism works") }
        let steps: [(String, () -> Int)] = [
            ("  ML-KEM-768: a key", { (try? mechanism.makeKey(seed: seed))?.encapsulationKey.count ?? 0 }),
            (
                "  ML-KEM-768: encapsulating",
                { (try? mechanism.encapsulate(to: key.encapsulationKey, randomness: randomness).ciphertext.count) ?? 0 }
            ),
            ("  ML-KEM-768: opening", { (try? key.decapsulate(ciphertext).count) ?? 0 }),
        ]
        for (name, step) in steps { row(name, beside(Measurement(step))) }
    }

    private func agreementMeasurement() -> Measurement {
        let (one, two) = (AgreementKey.generate(), AgreementKey.generate())
        let other = two.publicKey
        return Measurement { (try? one.sharedSecret(with: other).bytes.count) ?? 0 }
    }

    /// A whole handshake in memory.
    private func handshake(_ version: ChannelVersion) -> Int {
        var random = SystemRandom()
        do {
            var initiator = try ChannelCore(
                initiatorWith: secret,
                staticKey: initiatorKey,
                localPayload: payload,
                agreement: .hybrid(mechanism),
                version: version,
                startedAt: 0,
                using: &random
            )
            var responder = try ChannelCore(
                responderWith: [secret],
                staticKey: responderKey,
                localPayload: payload,
                agreement: .hybrid(mechanism),
                startedAt: 0,
                using: &random
            )
            var (forward, backward): ([ChannelEvent], [ChannelEvent]) = ([], [])
            initiator.start(into: &forward)
            responder.received(Self.bytes(forward), into: &backward)
            forward = []
            initiator.received(Self.bytes(backward), into: &forward)
            responder.received(Self.bytes(forward), into: &backward)
            precondition(initiator.isEstablished && responder.isEstablished, "the handshake goes through")
            return 1
        } catch {
            preconditionFailure("the handshake begins: \(error)")
        }
    }

    private static func bytes(_ events: [ChannelEvent]) -> [UInt8] {
        events.flatMap { event -> [UInt8] in
            if case .send(let bytes) = event { bytes } else { [] }
        }
    }
}
