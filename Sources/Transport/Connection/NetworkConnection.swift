import NIOCore
import Node
import Session

/// An established channel as the layers above hold it: safe to use from any thread, and of no effect once it ended.
final class NetworkConnection: PeerConnection {
    /// A signal from a connection to its handler.
    enum Signal {
        /// The outbox has something.
        case outbox
        /// The outbox has a code to close with: the bytes that wait before it must not delay it for ever.
        case closing
        /// Reading may go on.
        case resumeReading
        /// The identity of the other side is decided.
        case setRoom(DoorRoom)
    }

    let id: ConnectionID
    let dial: DialID?
    let address: PeerAddress
    let handshake: HandshakeResult
    let outbox: Outbox
    private let channel: any NIOCore.Channel

    init(
        id: ConnectionID,
        dial: DialID?,
        address: PeerAddress,
        handshake: HandshakeResult,
        outbox: Outbox,
        channel: any NIOCore.Channel
    ) {
        self.id = id
        self.dial = dial
        self.address = address
        self.handshake = handshake
        self.outbox = outbox
        self.channel = channel
    }

    func send(_ message: [UInt8]) {
        if outbox.add(message) { signal(.outbox) }
    }

    func close(code: UInt8) {
        close(CloseCode(rawValue: code))
    }

    func close(_ code: CloseCode) {
        if outbox.close(code) { signal(.closing) }
    }

    func resumeReading() {
        signal(.resumeReading)
    }

    func setRoom(_ room: DoorRoom) {
        signal(.setRoom(room))
    }

    private func signal(_ signal: Signal) {
        channel.pipeline.fireUserInboundEventTriggered(signal)
    }
}
