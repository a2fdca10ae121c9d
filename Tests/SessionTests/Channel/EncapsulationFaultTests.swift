import Session
import struct Simulator.StandInEncapsulation
import Sodium
import Synchronization
import TestSupport
import Testing
import Wire

/// A key encapsulation that misbehaves, or is only counted.
private final class Faulty: KeyEncapsulation {
    struct Fault {
        var key: (@Sendable ([UInt8]) -> [UInt8])?
        var ciphertext: (@Sendable ([UInt8]) -> [UInt8])?
        var secret: (@Sendable ([UInt8]) -> [UInt8])?
    }

    private struct Key: DecapsulationKey {
        let sound: any DecapsulationKey
        let fault: Fault
        var encapsulationKey: [UInt8] {
            fault.key.map { $0(sound.encapsulationKey) } ?? sound.encapsulationKey
        }

        func decapsulate(_ ciphertext: [UInt8]) throws(KeyEncapsulationError) -> SecretBytes {
            let secret = try sound.decapsulate(ciphertext).exportBytes()
            return SecretBytes(copying: fault.secret.map { $0(secret) } ?? secret)
        }
    }

    let fault: Fault
    private let calls = Mutex(0)
    private let sound = StandInEncapsulation()

    init(_ fault: Fault = Fault()) {
        self.fault = fault
    }

    var callCount: Int { calls.withLock { $0 } }

    func makeKey(seed: borrowing SecretBytes) throws(KeyEncapsulationError) -> any DecapsulationKey {
        calls.withLock { $0 += 1 }
        return Key(sound: try sound.makeKey(seed: seed), fault: fault)
    }

    func encapsulate(
        to key: [UInt8],
        randomness: borrowing SecretBytes
    ) throws(KeyEncapsulationError) -> EncapsulatedSecret {
        calls.withLock { $0 += 1 }
        let answer = try sound.encapsulate(to: key, randomness: randomness)
        let secret = answer.secret.exportBytes()
        return EncapsulatedSecret(
            ciphertext: fault.ciphertext.map { $0(answer.ciphertext) } ?? answer.ciphertext,
            secret: SecretBytes(copying: fault.secret.map { $0(secret) } ?? secret)
        )
    }
}

@Suite struct EncapsulationFaultTests {
    private func pair(initiator: Faulty.Fault = .init(), responder: Faulty.Fault = .init()) throws -> ChannelPair {
        try ChannelPair(agreements: (.hybrid(Faulty(initiator)), .hybrid(Faulty(responder))))
    }

    @Test func `a key that is none is refused before an answer, without a byte`() throws {
        for fault in [{ [UInt8](repeating: 0, count: $0.count) }, { $0.reversed() }] as [@Sendable ([UInt8]) -> [UInt8]]
        {
            let pair = try pair(initiator: .init(key: fault))
            pair.connect()
            #expect(pair.responderEvents == [.closed(.encapsulationRefused(.malformedKey))])
        }
    }

    @Test func `a mechanism that gives other sizes than it should is not used`() throws {
        let short = try pair(initiator: .init(key: { Array($0.dropLast()) }))
        short.connect()
        #expect(short.initiatorEvents == [.closed(.encapsulationRefused(.unavailable))])
        let long = try pair(responder: .init(ciphertext: { $0 + [0] }))
        long.connect()
        #expect(long.responderEvents == [.closed(.encapsulationRefused(.unavailable))])
        let secret = try pair(responder: .init(secret: { Array($0.dropLast()) }))
        secret.connect()
        #expect(secret.responderEvents == [.closed(.encapsulationRefused(.unavailable))])
        let opened = try pair(initiator: .init(secret: { _ in [] }))
        opened.connect()
        #expect(opened.initiatorEvents.end == .encapsulationRefused(.unavailable))
        #expect(opened.responderEvents.handshake == nil)
    }

    @Test
    func `two sides with different secrets have no session, and the asking side gets no answer`()
        throws
    {
        let faults: [(Faulty.Fault, Faulty.Fault)] = [
            // As ML-KEM answers a changed ciphertext: with another secret, and no error.
            (.init(), .init(ciphertext: { [$0[0] ^ 1] + $0.dropFirst() })),
            (.init(secret: { [$0[0] ^ 1] + $0.dropFirst() }), .init()),
            (.init(), .init(secret: { $0.dropLast() + [$0[31] ^ 0x80] })),
            // The initiator's public half is another one than it opens with.
            (.init(key: { key in Self.otherKey(than: key) }), .init()),
        ]
        for (initiator, responder) in faults {
            let pair = try pair(initiator: initiator, responder: responder)
            pair.connect()
            #expect(pair.responderEvents.handshake == nil)
            #expect(pair.responderEvents.end == .handshakeFailed)
            // The second message, and nothing after it.
            #expect(pair.responderEvents.count == 2)
            // The session that the initiator assumes receives nothing, and sends nothing that any peer can read.
            #expect(pair.toInitiator.isEmpty)
        }
    }

    /// A sound key, but not the one that opens.
    private static func otherKey(than key: [UInt8]) -> [UInt8] {
        let seed = SecretBytes(copying: [UInt8](repeating: key[0], count: 64))
        return (try? StandInEncapsulation().makeKey(seed: seed).encapsulationKey) ?? []
    }

    @Test func `nothing is encapsulated for a peer that does not know the secret`() throws {
        let counted = Faulty()
        func knock(secret: [UInt8] = ChannelPair.fleet, _ change: (inout [UInt8]) -> Void = { _ in }) throws {
            let pair = try ChannelPair(initiatorSecret: secret, agreements: (ChannelPair.hybrid, .hybrid(counted)))
            var events: [ChannelEvent] = []
            pair.initiator.start(into: &events)
            var flight = events.sentBytes
            change(&flight)
            pair.deliverToResponder(flight)
            #expect(pair.responderEvents.sentBytes.isEmpty)
        }
        try knock(secret: [UInt8](repeating: 1, count: 32))
        var generator = SeededGenerator(seed: 21)
        for index in stride(from: 0, to: 37 + 2 + 32 + 1_280 + 16, by: 3) {
            try knock { $0[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
        }
        // An overheard preamble, with the attacker's own first message.
        try knock { $0.replaceSubrange(39..., with: generator.bytes(1_328)) }
        #expect(counted.callCount == 0)
        let pair = try ChannelPair(agreements: (ChannelPair.hybrid, .hybrid(counted)))
        pair.connect()
        #expect(pair.established != nil && counted.callCount == 1)
    }

    @Test func `the first version needs no mechanism`() throws {
        let counted = Faulty()
        let pair = try ChannelPair(agreements: (.hybrid(counted), .hybrid(counted)), version: .classical)
        pair.connect()
        #expect(pair.established != nil && counted.callCount == 0)
    }
}
