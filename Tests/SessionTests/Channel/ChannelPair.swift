import Session
import struct Simulator.StandInEncapsulation
import Sodium
import TestSupport
import Wire

/// Two channels wired to each other in memory, with everything they did.
///
/// A class, as a connection's driver will be.
final class ChannelPair {
    static let fleet = [UInt8](repeating: 0xF1, count: 32)
    static let hybrid = ChannelAgreement.hybrid(StandInEncapsulation())

    var initiator: ChannelCore
    var responder: ChannelCore
    var initiatorEvents: [ChannelEvent] = []
    var responderEvents: [ChannelEvent] = []
    /// Bytes that the initiator has sent and the responder has not received yet.
    var toResponder: [UInt8] = []
    var toInitiator: [UInt8] = []

    init(
        seed: UInt64 = 1,
        initiatorSecret: [UInt8] = ChannelPair.fleet,
        responderSecrets: [(ChannelSecret.Purpose, [UInt8])] = [(.fleet, ChannelPair.fleet)],
        sameStaticKey: Bool = false,
        payloads: ([UInt8], [UInt8]) = (Array("initiator".utf8), Array("responder".utf8)),
        configuration: ChannelConfiguration = ChannelConfiguration(),
        agreements: (ChannelAgreement, ChannelAgreement) = (ChannelPair.hybrid, ChannelPair.hybrid),
        version: ChannelVersion? = nil
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let first = AgreementKey.generate(using: &generator)
        let second = sameStaticKey ? first.duplicate() : AgreementKey.generate(using: &generator)
        initiator = try ChannelCore(
            initiatorWith: ChannelSecret(purpose: .fleet, bytes: initiatorSecret),
            staticKey: first,
            localPayload: payloads.0,
            agreement: agreements.0,
            version: version,
            configuration: configuration,
            startedAt: 0,
            using: &generator
        )
        responder = try ChannelCore(
            responderWith: responderSecrets.map { try ChannelSecret(purpose: $0.0, bytes: $0.1) },
            staticKey: second,
            localPayload: payloads.1,
            agreement: agreements.1,
            configuration: configuration,
            startedAt: 0,
            using: &generator
        )
    }

    /// Carries bytes until neither side has more to send.
    func settle() {
        while !toResponder.isEmpty || !toInitiator.isEmpty {
            deliverToResponder()
            deliverToInitiator()
        }
    }

    func connect() {
        var events: [ChannelEvent] = []
        initiator.start(into: &events)
        note(events, isInitiator: true)
        settle()
    }

    func deliverToResponder(_ bytes: [UInt8]? = nil) {
        let bytes = bytes ?? toResponder
        toResponder = []
        var events: [ChannelEvent] = []
        responder.received(bytes, into: &events)
        note(events, isInitiator: false)
    }

    func deliverToInitiator(_ bytes: [UInt8]? = nil) {
        let bytes = bytes ?? toInitiator
        toInitiator = []
        var events: [ChannelEvent] = []
        initiator.received(bytes, into: &events)
        note(events, isInitiator: true)
    }

    func note(_ events: [ChannelEvent], isInitiator: Bool) {
        for event in events {
            if case .send(let bytes) = event {
                if isInitiator {
                    toResponder += bytes
                } else {
                    toInitiator += bytes
                }
            }
        }
        if isInitiator {
            initiatorEvents += events
        } else {
            responderEvents += events
        }
    }

    /// Sends a message from the initiator; its frames wait in ``toResponder``.
    func send(_ message: [UInt8]) throws {
        try initiator.send(message: message, into: &toResponder)
    }

    var established: (HandshakeResult, HandshakeResult)? {
        guard let first = initiatorEvents.handshake, let second = responderEvents.handshake else { return nil }
        return (first, second)
    }
}

extension [ChannelEvent] {
    var handshake: HandshakeResult? {
        for case .established(let result) in self {
            return result
        }
        return nil
    }

    var messages: [[UInt8]] {
        compactMap { event in
            if case .message(let message) = event { message } else { nil }
        }
    }

    var end: CloseReason? {
        for case .closed(let reason) in self {
            return reason
        }
        return nil
    }

    var sentBytes: [UInt8] {
        flatMap { event -> [UInt8] in
            if case .send(let bytes) = event { bytes } else { [] }
        }
    }
}
