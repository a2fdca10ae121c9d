import Node
import Session

extension CloseReason {
    /// What a handshake that came to nothing means for the dial.
    var dialFailure: DialFailure {
        switch self {
        case .ownKey: .ourselves
        case .endedInHandshake(0): .ignored
        case .endedInHandshake: .unreachable("the other side hung up during the handshake")
        case .handshakeFailed: .unreachable("the handshake failed")
        case .encapsulationRefused(let error): .unreachable("the key encapsulation failed: \(error)")
        default: .unreachable("the channel ended: \(self)")
        }
    }
}

extension HandshakeFailure {
    /// What it means for the dial where the reason alone does not say it; `nil` where it does.
    var dialFailure: DialFailure? {
        switch self {
        case .late: .unreachable("the handshake took too long")
        case .unknown: .unreachable("knows none of our secrets")
        case .unreachable, .ignored, .abandoned, .malformed, .ourselves, .crowded: nil
        }
    }
}
