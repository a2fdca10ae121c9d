import Session
import Sync

extension CloseReason {
    /// The reason, for the log.
    var words: String {
        switch self {
        case .peer(let code): "the other side ended it: \(code.words)"
        case .local(let code): "ended here: \(code.words)"
        case .truncated: "the connection broke off"
        case .endedInHandshake(messagesReceived: 0): "the other side closed the connection without a message"
        case .endedInHandshake: "the other side closed the connection in the handshake"
        case .handshakeFailed: "the handshake failed"
        case .encapsulationRefused: "the key encapsulation of the other side is not valid"
        case .ownKey: "the other side presented this device's own key"
        case .notAuthentic: "a frame was altered, replayed or lost on the way"
        case .protocolViolation: "the other side broke the protocol"
        case .messageTooLong: "the other side sent a message that is too long"
        case .keysExhausted: "the nonces of one direction are used up"
        }
    }
}

extension CloseCode {
    /// The code, for the log.
    var words: String {
        switch self {
        case .done: "no work is left"
        case .goingAway: "the program ends"
        case .replaced: "a newer session takes over"
        case .protocolViolation: "the protocol was broken"
        case .refused: "refused"
        case .busy: "too many sessions"
        case .silent: "nothing was heard for too long"
        default: "code \(rawValue)"
        }
    }
}
