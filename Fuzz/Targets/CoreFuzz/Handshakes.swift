import FuzzKit
import Sodium
import TestSupport

@testable import Session

/// A stranger knocks: raw bytes in pieces, or a real handshake of which a program changes the messages.
let handshakeResponderTarget = FuzzTarget(
    "handshake-responder",
    inputByteCountMax: 1_024,
    run: { bytes in
        var input = FuzzInput(bytes)
        var channel = ObservedChannel(ChannelFixture.responder())
        if input.bool() {
            let text = input.remainder()
            channel.receive(text)
            compareInPieces(text, channel.events)
        } else {
            dial(&channel, &input)
        }
        channel.end()
    },
    seeds: {
        var generator = SeededGenerator(seed: 8)
        var events: [ChannelEvent] = []
        var core = ChannelFixture.initiator()
        core.start(into: &events)
        guard case .send(let flight) = events.first else { return [] }
        return [[1] + flight, [1] + flight.prefix(37), [1] + flight.dropLast()]
            + (0..<40).map { _ in [0] + generator.bytes(generator.below(60)) }
    }
)

/// The same bytes one by one, and in larger pieces where they are many, lead to the same events.
private func compareInPieces(_ bytes: [UInt8], _ expected: [ChannelEvent]) {
    var twin = ObservedChannel(ChannelFixture.responder())
    for byte in bytes.prefix(200) where !twin.core.isOver { twin.receive([byte]) }
    var rest = bytes.dropFirst(200)
    while !rest.isEmpty, !twin.core.isOver {
        twin.receive(Array(rest.prefix(61)))
        rest = rest.dropFirst(61)
    }
    demand(twin.events == expected, "how bytes are cut does not matter")
}

private func dial(_ channel: inout ObservedChannel, _ input: inout FuzzInput) {
    var generator = SeededGenerator(seed: 9)
    let version = input.below(8) == 1 ? input.byte() : ChannelLimits.version
    let secret = input.below(8) == 1 ? ChannelFixture.secrets[0] : ChannelFixture.fleet
    let preamble = ChannelPreamble(version: version, secret: secret, nonce: generator.bytes(16))
    var stranger = ChannelFixture.stranger(.initiator, preamble)
    let isTampered = input.bool()
    do {
        var first: [UInt8] = []
        try stranger.writeMessage(payload: input.blob(), appendingTo: &first)
        let flight = preamble.bytes + framed(first)
        channel.receive(isTampered ? input.mutate(flight) : flight, pieces: &input)
        let answer = channel.takeSent()
        guard answer.count > 2 else { return }
        _ = try stranger.readMessage(Array(answer.dropFirst(2)))
        var last: [UInt8] = []
        try stranger.writeMessage(payload: payload(&input), appendingTo: &last)
        let end = framed(last)
        channel.receive(isTampered ? input.mutate(end) : end, pieces: &input)
        if isTampered { return }
        if let result = channel.established {
            demand(version == ChannelLimits.version, "only a known version is taken")
            demand(result.remoteStatic == ChannelFixture.initiatorKey.publicKey, "the other side is who it says")
            demand(result.purpose == secret.purpose, "the purpose is the secret's")
        }
    } catch {
        // A changed message does not open at the stranger's either.
        return
    }
}

/// We knock and whatever answers is a program: changed messages, changed payloads, anybody's keys.
let handshakeInitiatorTarget = FuzzTarget(
    "handshake-initiator",
    inputByteCountMax: 1_024,
    run: { bytes in
        var input = FuzzInput(bytes)
        var channel = ObservedChannel(ChannelFixture.initiator())
        channel.start()
        let flight = channel.takeSent()
        if input.bool() {
            channel.receive(input.remainder())
        } else {
            answer(&channel, flight, &input)
        }
        channel.end()
    },
    seeds: {
        var generator = SeededGenerator(seed: 10)
        return (0..<40).map { _ in [0] + generator.bytes(generator.below(60)) }
            + (0..<10).map { _ in [1, 0, 80] + generator.bytes(90) }
    }
)

private func answer(_ channel: inout ObservedChannel, _ flight: [UInt8], _ input: inout FuzzInput) {
    let preamble = known("a preamble", ChannelPreamble(Array(flight.prefix(ChannelPreamble.byteCount))))
    var stranger = ChannelFixture.stranger(.responder, preamble)
    let isTampered = input.bool()
    do {
        _ = try stranger.readMessage(Array(flight.dropFirst(ChannelPreamble.byteCount + 2)))
        var message: [UInt8] = []
        try stranger.writeMessage(payload: payload(&input), appendingTo: &message)
        let reply = framed(message)
        channel.receive(isTampered ? input.mutate(reply) : reply, pieces: &input)
        let last = channel.takeSent()
        guard last.count > 2 else { return }
        _ = try stranger.readMessage(Array(last.dropFirst(2)))
        demand(channel.core.isEstablished || isTampered, "a handshake that is right stands")
    } catch {
        demand(isTampered, "an untouched handshake goes through: \(error)")
    }
}

/// A payload in its envelope, mostly one that a program changed under the seal.
private func payload(_ input: inout FuzzInput) -> [UInt8] {
    let inside = HandshakePayloadEnvelope.encode(input.blob())
    return switch input.below(3) {
    case 0: inside
    case 1: input.mutate(inside)
    default: input.bytes(512)
    }
}

private func framed(_ message: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
}
