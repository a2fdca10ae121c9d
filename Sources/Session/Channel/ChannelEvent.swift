/// An instruction to the driver of a channel, or news for it.
package enum ChannelEvent: Equatable, Sendable {
    /// Write these bytes to the connection.
    case send([UInt8])
    /// The handshake is done; messages can be sent from now on.
    case established(HandshakeResult)
    /// The other side sent a message.
    case message([UInt8])
    /// The channel is over: write the bytes that are left to send, then close the connection.
    case closed(CloseReason)
    /// The other side knows none of our secrets: close the connection without an answer.
    case ignore
}

/// The reason why a side ended a channel, as it is sent to the other one.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The code on the wire.
    ///
    /// Codes from 64 on belong to the caller.
    package let rawValue: UInt8

    /// A code.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The work of the channel is done.
    package static let done = CloseCode(rawValue: 0)
    /// The program ends.
    package static let goingAway = CloseCode(rawValue: 1)
    /// A newer session with the same peer takes over.
    package static let replaced = CloseCode(rawValue: 2)
    /// The other side broke the protocol.
    package static let protocolViolation = CloseCode(rawValue: 3)
    /// The other side is not, or no longer, admitted.
    package static let refused = CloseCode(rawValue: 4)
    /// There are too many sessions.
    package static let busy = CloseCode(rawValue: 5)
    /// No message has arrived for too long.
    package static let silent = CloseCode(rawValue: 6)
}

/// Why a channel is over.
package enum CloseReason: Hashable, Sendable {
    /// The other side ended it, with this code.
    case peer(CloseCode)
    /// This side ended it, with this code.
    case local(CloseCode)
    /// The connection ended without an encrypted goodbye: it was cut.
    case truncated
    /// The connection ended before the handshake did. With no message received the other side knows none of our secrets,
    /// or refuses to talk.
    case endedInHandshake(messagesReceived: Int)
    /// A handshake message was malformed. The other side receives no reason.
    case handshakeFailed
    /// The other side's part of the key encapsulation was malformed. The other side receives no reason.
    case encapsulationRefused(KeyEncapsulationError)
    /// The other side showed our own key: it is this device, or an attacker that reflects our bytes.
    case ownKey
    /// A frame did not open: altered, replayed or lost on the way.
    case notAuthentic
    /// The other side, which is authenticated, broke the protocol.
    case protocolViolation
    /// The other side sent a message longer than this side takes.
    case messageTooLong
    /// A direction has used up its nonces.
    case keysExhausted
}

/// Why a call to a channel was refused.
package enum ChannelError: Error, Equatable, Sendable {
    /// The handshake is not done yet.
    case notEstablished
    /// The channel is over.
    case closed
    /// The message or payload is longer than allowed.
    case tooLong(maximum: Int)
    /// The direction has used up its nonces.
    case keysExhausted
}

extension ChannelError: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .notEstablished: "the handshake is not done yet"
        case .closed: "the channel is closed"
        case .tooLong(let maximum): "the message has more than \(maximum) bytes"
        case .keysExhausted: "the channel has used up its nonces"
        }
    }
}
