import NIOCore
import NIOEmbedded
import Node
import Sealing
import Session
import Sodium
import Testing
import Wire

@testable import Transport

/// A connection's handler on a channel without a network, under a clock that moves only by hand.
final class HandlerBench {
    let sink: RecordingSink
    let loop = EmbeddedEventLoop()
    let channel: EmbeddedChannel
    let doors: DoorKeeper
    private let failures = RecordingSink([])

    /// A handler's side.
    enum Side {
        case initiator(ChannelSecret)
        case responder([ChannelSecret])
    }

    init(
        _ side: Side,
        key: UInt8 = 1,
        limits: TransportLimits = TransportLimits(),
        agreement: ChannelAgreement = .hybrid(MLKEM768Encapsulation())
    ) throws {
        channel = EmbeddedChannel(loop: loop)
        doors = DoorKeeper(limits.doors)
        let role: HandlerSettings.Role
        let pass: DoorPass
        switch side {
        case .initiator(let secret):
            sink = RecordingSink([secret])
            role = .initiator(7, secret, .newest)
            pass = doors.dialled(under: role.room, at: loop.now)
        case .responder(let secrets):
            sink = RecordingSink(secrets)
            let from = try SocketAddress(ipAddress: "192.0.2.1", port: 5)
            role = .responder
            pass = try doors.connected(from: from, at: loop.now) { [channel] in channel.close(promise: nil) }.get()
        }
        let (sink, failures) = (sink, failures)
        let settings = HandlerSettings(
            id: 1,
            role: role,
            address: PeerAddress(host: "192.0.2.1", port: 5),
            identity: ChannelIdentity(try AgreementKey(bytes: [UInt8](repeating: key, count: 32))),
            agreement: agreement,
            sink: sink,
            limits: limits,
            reports: HandlerSettings.Reports(
                established: { sink.opened($0) },
                closed: { sink.closed($0, reason: $1) },
                failed: { failures.dialFailed(7, $0) }
            )
        )
        try channel.pipeline.syncOperations.addHandler(PeerHandler(settings, pass: pass))
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 5), promise: nil)
    }

    /// The reasons why the handshake failed, one for each report.
    var failed: [String] { failures.dialFailures }

    /// Returns the bytes that the handler writes to the wire.
    func takeSent() throws -> [UInt8] {
        loop.run()
        var bytes: [UInt8] = []
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { bytes += Array(buffer.readableBytesView) }
        return bytes
    }

    /// Lets bytes arrive.
    func receive(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        loop.run()
    }

    /// Whether reading is switched on, by the last instruction.
    var isReading: Bool {
        let words = channel.options.compactMap { option, value in
            option is ChannelOptions.Types.AutoReadOption ? value as? Bool : nil
        }
        return words.last ?? true
    }

    /// Carries bytes between two handlers until both are quiet.
    static func exchange(_ one: HandlerBench, _ two: HandlerBench) throws {
        while true {
            let there = try one.takeSent()
            if !there.isEmpty, two.channel.isActive { try two.receive(there) }
            let back = try two.takeSent()
            if !back.isEmpty, one.channel.isActive { try one.receive(back) }
            if there.isEmpty, back.isEmpty { return }
        }
    }

    /// Two handlers with a channel between them.
    /// - Parameters:
    ///   - limits: The limits of both.
    ///   - room: The room into which the layer above puts each as soon as it is established; `nil` = none.
    /// - Returns: The initiator and the responder.
    /// - Throws: An error of making their secrets and channels.
    static func pair(
        limits: TransportLimits = TransportLimits(),
        room: DoorRoom? = .admitted
    ) throws -> (HandlerBench, HandlerBench) {
        let secret = try ChannelSecret.sample(9)
        let one = try HandlerBench(.initiator(secret), key: 1, limits: limits)
        let two = try HandlerBench(.responder([secret]), key: 2, limits: limits)
        for bench in [one, two] { bench.sink.room = room }
        try exchange(one, two)
        return (one, two)
    }
}
