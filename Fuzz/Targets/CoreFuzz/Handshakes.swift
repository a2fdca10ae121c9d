import FuzzKit
import Sodium
import TestSupport
import Wire

@testable import Session

/// A stranger knocks: raw bytes in pieces, or a real handshake of which a program changes the messages.
let handshakeResponderTarget = FuzzTarget(
    "handshake-responder",
    inputByteCountMax: 1_400,
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
        let flights = ChannelVersion.allCases.flatMap { version -> [[UInt8]] in
            var events: [ChannelEvent] = []
            var core = ChannelFixture.initiator(version)
            core.start(into: &events)
            guard case .send(let flight) = events.first else { return [] }
            return [[1] + flight, [1] + flight.prefix(37), [1] + flight.dropLast()]
        }
        return flights + (0..<40).map { _ in [0] + generator.bytes(generator.below(60)) }
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
    let number = input.below(8) == 1 ? input.byte() : UInt8(1 + input.below(2))
    let secret = input.below(8) == 1 ? ChannelFixture.secrets[0] : ChannelFixture.fleet
    let preamble = ChannelPreamble(version: number, secret: secret, nonce: generator.bytes(16))
    var stranger = ChannelFixture.stranger(.initiator, preamble)
    var exchange = ChannelFixture.exchange(.initiator, preamble)
    let isTampered = input.bool()
    do {
        var first: [UInt8] = []
        let key = try exchange?.makeKey()
        let firstPayload = key.map { opening($0, &input) } ?? (bytes: input.blob(), isSound: true)
        try stranger.writeMessage(payload: firstPayload.bytes, appendingTo: &first)
        let flight = preamble.bytes + framed(first)
        channel.receive(isTampered ? input.mutate(flight) : flight, pieces: &input)
        let answer = channel.takeSent()
        guard answer.count > 2 else {
            let isKnown = ChannelVersion(rawValue: number) != nil && secret === ChannelFixture.fleet
            demand(isTampered || !firstPayload.isSound || !isKnown, "a sound first message is answered")
            return
        }
        let contents = HandshakePayloadEnvelope.decode(try stranger.readMessage(Array(answer.dropFirst(2))))
        let added = known("an envelope", contents).added
        try exchange?.open(Array(added.dropFirst()))
        try mix(&exchange, into: &stranger)
        var last: [UInt8] = []
        try stranger.writeMessage(payload: payload([], &input).bytes, appendingTo: &last)
        let end = framed(last)
        channel.receive(isTampered ? input.mutate(end) : end, pieces: &input)
        if isTampered { return }
        if let result = channel.established {
            demand(result.version.rawValue == number, "the version is the preamble's")
            demand(result.remoteStatic == ChannelFixture.initiatorKey.publicKey, "the other side is who it says")
            demand(result.purpose == secret.purpose, "the purpose is the secret's")
        }
    } catch {
        // A changed message does not open at the stranger's either.
        return
    }
}

/// The first payload of the second version, mostly as it must be.
private func opening(_ key: [UInt8], _ input: inout FuzzInput) -> (bytes: [UInt8], isSound: Bool) {
    let sound = HandshakePayloadEnvelope.encode([], extension: key)
    switch input.below(8) {
    case 0: return (input.mutate(sound), false)
    case 1: return (HandshakePayloadEnvelope.encode([], extension: input.mutate(key)), false)
    case 2: return (HandshakePayloadEnvelope.encode(input.blob(), extension: input.bytes(64)), false)
    default: return (sound, true)
    }
}

/// Gives the stranger the key of its third message.
private func mix(
    _ exchange: inout EncapsulationExchange?,
    into stranger: inout HandshakeState<Blake2b512>
) throws(NoiseError) {
    if let key = exchange?.takePreSharedKey(handshakeHash: stranger.handshakeHash) {
        try stranger.addPreSharedKey(key)
    }
}

/// We knock and a program answers: changed messages, changed payloads, the keys of any party.
let handshakeInitiatorTarget = FuzzTarget(
    "handshake-initiator",
    inputByteCountMax: 1_024,
    run: { bytes in
        var input = FuzzInput(bytes)
        var channel = ObservedChannel(ChannelFixture.initiator(input.bool() ? .hybrid : .classical))
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
    var exchange = ChannelFixture.exchange(.responder, preamble)
    var isTampered = input.bool()
    do {
        let first = try stranger.readMessage(Array(flight.dropFirst(ChannelPreamble.byteCount + 2)))
        if exchange != nil {
            try exchange?.answer(known("an envelope", HandshakePayloadEnvelope.decode(first)).added)
        }
        var message: [UInt8] = []
        let ciphertext = exchange?.ciphertext
        let second = payload(ciphertext.map { [2] + $0 } ?? [], &input)
        try stranger.writeMessage(payload: second.bytes, appendingTo: &message)
        try mix(&exchange, into: &stranger)
        let reply = framed(message)
        channel.receive(isTampered ? input.mutate(reply) : reply, pieces: &input)
        // A change under the seal may lead to another secret.
        isTampered = isTampered || !second.isSound
        let last = channel.takeSent()
        guard last.count > 2 else { return }
        _ = try stranger.readMessage(Array(last.dropFirst(2)))
        demand(channel.core.isEstablished || isTampered, "a handshake that is right stands")
    } catch {
        demand(isTampered, "an untouched handshake goes through: \(error)")
    }
}

/// A payload in its envelope, mostly one that a program changed under the seal.
private func payload(_ added: [UInt8], _ input: inout FuzzInput) -> (bytes: [UInt8], isSound: Bool) {
    let inside = HandshakePayloadEnvelope.encode(input.blob(), extension: added)
    return switch input.below(4) {
    case 0: (inside, true)
    case 1: (input.mutate(inside), false)
    case 2: (HandshakePayloadEnvelope.encode(input.blob(), extension: input.mutate(added)), false)
    default: (input.bytes(512), false)
    }
}

private func framed(_ message: [UInt8]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
}
