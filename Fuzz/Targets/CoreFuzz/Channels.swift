import FuzzKit
import Sodium
import TestSupport
import Wire

@testable import Session

/// A channel after its handshake: an authenticated peer that sends any plaintext under a right seal, and a third party
/// that changes, repeats, reorders and cuts frames.
let channelTarget = FuzzTarget(
    "channel",
    inputByteCountMax: 300,
    run: { bytes in
        var input = FuzzInput(bytes)
        let policy = RekeyPolicy(frameCount: 1 + UInt64(input.below(6)), byteCount: 1 << 16)
        let configuration = ChannelConfiguration(messageByteCountMax: 256 << input.below(10), rekey: policy)
        var channel = ObservedChannel(ChannelFixture.responder(configuration, with: [ChannelFixture.fleet]))
        guard let transport = connect(&channel) else { preconditionFailure("the handshake goes through") }
        var peer = Peer(transport: transport, policy: policy)
        while !input.isEmpty, !channel.core.isOver {
            step(&channel, &peer, configuration, &input)
        }
        channel.end()
    },
    seeds: {
        var generator = SeededGenerator(seed: 11)
        let messages: [[UInt8]] = (0..<30).map { _ in
            let message = PeerMessage.sample(&generator).encoded.prefix(250)
            return [3, 9, 0, UInt8(message.count)] + message + [0, 4, 1, 2, 3, 4, 1, 4, 6, 9, 9]
        }
        return messages + (0..<30).map { _ in generator.bytes(120) }
    }
)

/// The peer's half of the channel, with frames that it keeps.
private struct Peer: ~Copyable {
    var transport: NoiseTransport
    let policy: RekeyPolicy
    var frameCount: UInt64 = 0
    var byteCount: UInt64 = 0
    var isHonest = true
    var latest: [UInt8] = []

    init(transport: consuming NoiseTransport, policy: RekeyPolicy) {
        self.transport = transport
        self.policy = policy
    }

    mutating func seal(_ plaintext: [UInt8]) -> [UInt8] {
        var sealed = plaintext
        do {
            try transport.sending.seal(&sealed, from: 0)
        } catch {
            preconditionFailure("there are nonces left")
        }
        frameCount += 1
        byteCount += UInt64(plaintext.count)
        if frameCount >= policy.frameCount || byteCount >= policy.byteCount {
            transport.sending.rekey()
            (frameCount, byteCount) = (0, 0)
        }
        latest = [UInt8(truncatingIfNeeded: sealed.count >> 8), UInt8(truncatingIfNeeded: sealed.count)] + sealed
        return latest
    }

    mutating func frame(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
        let header = [kind, UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)]
        let used = header.count + body.count
        return seal(header + body + [UInt8](repeating: 0, count: FrameSize.padded(used) - used))
    }
}

private func connect(_ channel: inout ObservedChannel) -> NoiseTransport? {
    var generator = SeededGenerator(seed: 12)
    let preamble = ChannelPreamble(version: .classical, secret: ChannelFixture.fleet, nonce: generator.bytes(16))
    var stranger = ChannelFixture.stranger(.initiator, preamble)
    do {
        var first: [UInt8] = []
        try stranger.writeMessage(payload: [], appendingTo: &first)
        channel.receive(preamble.bytes + [0, UInt8(first.count)] + first)
        _ = try stranger.readMessage(Array(channel.takeSent().dropFirst(2)))
        var last: [UInt8] = []
        try stranger.writeMessage(payload: HandshakePayloadEnvelope.encode([1, 2, 3]), appendingTo: &last)
        channel.receive([UInt8(last.count >> 8), UInt8(last.count & 255)] + last)
        return channel.core.isEstablished ? try stranger.split() : nil
    } catch {
        return nil
    }
}

private func step(
    _ channel: inout ObservedChannel,
    _ peer: inout Peer,
    _ configuration: ChannelConfiguration,
    _ input: inout FuzzInput
) {
    let told = channel.events.count
    switch input.below(8) {
    case 0:
        let message = input.blob()
        channel.receive(peer.frame(0, message), pieces: &input)
        guard peer.isHonest, message.count <= configuration.messageByteCountMax else { return }
        demand(channel.events.last == .message(message), "a message arrives as it was sent")
        demand(channel.events.count == told + 1, "a message arrives once")
        // A refusal is one of the two outcomes that are allowed.
        _ = try? PeerMessage(decoding: message)
    case 1:
        channel.receive(peer.frame(3, []))
    case 2:
        let byte = input.byte()
        let full = [UInt8](repeating: byte, count: ChannelLimits.bodyByteCountMax - (byte == 7 ? 1 : 0))
        peer.isHonest = false
        channel.receive(peer.frame(1, full))
    case 3:
        peer.isHonest = false
        channel.receive(peer.seal(input.blob()), pieces: &input)
    case 4:
        peer.isHonest = false
        channel.receive(peer.frame(input.byte(), input.blob()))
    case 5:
        peer.isHonest = false
        let frame = peer.frame(0, input.blob())
        channel.receive(input.mutate(frame), pieces: &input)
    case 6:
        peer.isHonest = false
        channel.receive(input.bool() ? peer.latest : input.bytes(100))
    default:
        var output: [UInt8] = []
        // A channel that is over refuses to send.
        try? channel.core.send(message: input.blob(), into: &output)
    }
}
