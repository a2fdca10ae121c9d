import Session
import Sodium
import TestSupport
import Testing
import Wire

/// The first message of a handshake under the recovery words is signed by the words.
@Suite struct RecoveryChannelTests {
    private static let shared = [UInt8](repeating: 0x5E, count: 32)

    private final class Words: Sendable {
        let key: SigningKey

        init(_ seed: UInt8) throws { key = try SigningKey(seed: [UInt8](repeating: seed, count: 32)) }
    }

    private static func secret(of owner: Words, signedBy signer: Words?) throws -> ChannelSecret {
        let purpose = ChannelSecret.Purpose.recovery(key: owner.key.publicKey.bytes)
        let shared = try SymmetricKey(bytes: Self.shared)
        guard let signer else { return ChannelSecret(purpose: purpose, key: shared) }
        return ChannelSecret(purpose: purpose, key: shared) { message, context in
            signer.key.signature(over: message, context: context)
        }
    }

    private final class Sides {
        var initiator: ChannelCore
        var responder: ChannelCore
        let flight: [UInt8]

        init(_ near: ChannelSecret, _ far: ChannelSecret, _ version: ChannelVersion, seed: UInt64 = 1) throws {
            var generator = SeededGenerator(seed: seed)
            var beginning = try ChannelCore(
                initiatorWith: near,
                staticKey: AgreementKey.generate(using: &generator),
                localPayload: [1],
                agreement: ChannelPair.hybrid,
                version: version,
                startedAt: 0,
                using: &generator
            )
            responder = try ChannelCore(
                responderWith: [far],
                staticKey: AgreementKey.generate(using: &generator),
                localPayload: [2],
                agreement: ChannelPair.hybrid,
                startedAt: 0,
                using: &generator
            )
            var events: [ChannelEvent] = []
            beginning.start(into: &events)
            flight = events.sentBytes
            initiator = beginning
        }

        /// Returns the responder's answer to a first flight.
        func answer(to bytes: [UInt8]) -> [UInt8] {
            var events: [ChannelEvent] = []
            responder.received(bytes, into: &events)
            return events.sentBytes
        }
    }

    @Test(arguments: [ChannelVersion.classical, .hybrid])
    func `a caller that knows the recovery words is answered`(_ version: ChannelVersion) throws {
        let words = try Words(1)
        let sides = try Sides(Self.secret(of: words, signedBy: words), Self.secret(of: words, signedBy: nil), version)
        let reply = sides.answer(to: sides.flight)
        var events: [ChannelEvent] = []
        sides.initiator.received(reply, into: &events)
        #expect(events.handshake?.purpose == .recovery(key: words.key.publicKey.bytes))
        let last = events.sentBytes
        var ends: [ChannelEvent] = []
        sides.responder.received(last, into: &ends)
        #expect(ends.handshake?.purpose == .recovery(key: words.key.publicKey.bytes))
    }

    @Test(arguments: [ChannelVersion.classical, .hybrid])
    func `a caller with only the secret, such as a removed device, is not answered`(_ version: ChannelVersion) throws {
        let words = try Words(1)
        for signer in [nil, try Words(2)] {
            let sides = try Sides(
                Self.secret(of: words, signedBy: signer),
                Self.secret(of: words, signedBy: nil),
                version
            )
            #expect(sides.answer(to: sides.flight).isEmpty)
        }
    }

    @Test(arguments: [ChannelVersion.classical, .hybrid])
    func `a proof is good for one handshake: with another ephemeral key or nonce it is none`(
        _ version: ChannelVersion
    ) throws {
        let words = try Words(1)
        let answering = try Self.secret(of: words, signedBy: nil)
        // An attacker that knows the secret signs a handshake of its own with the overheard signature of another one.
        let overheard = Overheard()
        let listening = ChannelSecret(
            purpose: .recovery(key: words.key.publicKey.bytes),
            key: try SymmetricKey(bytes: Self.shared),
            sign: { overheard.keep(words.key.signature(over: $0, context: $1)) }
        )
        let first = try Sides(listening, answering, version, seed: 1)
        #expect(!first.flight.isEmpty)
        let reused = ChannelSecret(
            purpose: .recovery(key: words.key.publicKey.bytes),
            key: try SymmetricKey(bytes: Self.shared),
            sign: { overheard.signature ?? words.key.signature(over: $0, context: $1) }
        )
        let second = try Sides(reused, answering, version, seed: 2)
        #expect(second.answer(to: second.flight).isEmpty)
    }

    @Test func `the first flight of version 2 has the size that it always has`() throws {
        let words = try Words(1)
        let sides = try Sides(Self.secret(of: words, signedBy: words), Self.secret(of: words, signedBy: nil), .hybrid)
        #expect(sides.flight.count == 1_367)
    }
}

/// Keeps the signature that was made.
private final class Overheard: @unchecked Sendable {
    // One thread makes one handshake after the other.
    private(set) var signature: Signature?

    func keep(_ new: Signature) -> Signature {
        signature = new
        return new
    }
}
