import Session
import struct Simulator.StandInEncapsulation
import Sodium
import TestSupport
import Testing
import Wire

/// Pins every byte of both versions of the channel; in the second one a stand-in takes the place of ML-KEM-768, whose
/// output is new in each run.
///
/// If this fails, old and new devices do not understand each other: the change needs a new version number, and a new
/// golden value beside this one.
@Suite struct ChannelGoldenTests {
    @Test func `a conversation with known randomness gives the bytes of version 1`() throws {
        let (flight, sealed) = try conversation(.classical)
        #expect(flight.count == 37 + 2 + 48)
        #expect(Array(flight.prefix(5)) == Array("KRN1".utf8) + [1])
        #expect(hex(Array(flight[21..<37])) == "7e78c4b1c186e4c72f5b47b49cea4112")
        #expect(hex(Blake2b.hash(sealed)) == "5bcc966795510f297e40453408d75f0fe74b76bff342f861fb7203a79cbe2469")
    }

    @Test func `a conversation with known randomness gives the bytes of version 2`() throws {
        let (flight, sealed) = try conversation(.hybrid(StandInEncapsulation()))
        #expect(flight.count == 37 + 2 + 1_328)
        #expect(Array(flight.prefix(5)) == Array("KRN1".utf8) + [2])
        #expect(hex(Array(flight[21..<37])) == "3241502b243d09ef0e0ea2696a40a4eb")
        #expect(hex(Blake2b.hash(sealed)) == "4f35a5e690de3f1a803222f59dbe3e6da94589383d96d375ab6b9846251426a9")
    }

    /// Returns the first flight, and everything that both sides send.
    private func conversation(_ agreement: ChannelAgreement) throws -> (flight: [UInt8], all: [UInt8]) {
        var generator = SeededGenerator(seed: 0x4B52_4E31)
        let secret = try ChannelSecret(purpose: .fleet, bytes: [UInt8](repeating: 0xF1, count: 32))
        let first = AgreementKey.generate(using: &generator)
        let second = AgreementKey.generate(using: &generator)
        var initiator = try ChannelCore(
            initiatorWith: secret,
            staticKey: first,
            localPayload: Array("initiator".utf8),
            agreement: agreement,
            startedAt: 0,
            using: &generator
        )
        var responder = try ChannelCore(
            responderWith: [secret],
            staticKey: second,
            localPayload: Array("responder".utf8),
            agreement: agreement,
            startedAt: 0,
            using: &generator
        )
        var forward: [ChannelEvent] = []
        var backward: [ChannelEvent] = []
        initiator.start(into: &forward)
        let flight = bytes(forward)
        responder.received(flight, into: &backward)
        initiator.received(bytes(backward), into: &forward)
        responder.received(Array(bytes(forward).dropFirst(flight.count)), into: &backward)
        var sealed = bytes(forward)
        try initiator.send(message: [], into: &sealed)
        try initiator.send(message: [UInt8](repeating: 7, count: 100_000), into: &sealed)
        try responder.send(message: Array("answer".utf8), into: &sealed)
        backward.removeAll { if case .send = $0 { true } else { false } }
        responder.close(.goingAway, into: &backward)
        sealed += bytes(backward)
        return (flight, sealed)
    }

    private func bytes(_ events: [ChannelEvent]) -> [UInt8] {
        events.flatMap { event -> [UInt8] in
            if case .send(let bytes) = event { bytes } else { [] }
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
