import Node
import Session

extension CloseReason {
    /// The outcome of the dial when its handshake has failed for this reason.
    var dialFailure: DialFailure {
        switch self {
        case .ownKey: .ourselves
        case .endedInHandshake(0): .ignored
        case .endedInHandshake: .unreachable("the other side closed the connection during the handshake")
        case .handshakeFailed: .unreachable("the handshake failed")
        case .encapsulationRefused(let error): .unreachable("the key encapsulation failed: \(error)")
        default: .unreachable("the channel ended: \(self)")
        }
    }
}

extension HandshakeFailure {
    /// The outcome of the dial, where the close reason alone does not determine it; `nil` where it does.
    var dialFailure: DialFailure? {
        switch self {
        case .late: .unreachable("the handshake took too long")
        case .unknown: .unreachable("knows none of our secrets")
        case .unreachable, .ignored, .abandoned, .malformed, .ourselves, .crowded: nil
        }
    }
}
