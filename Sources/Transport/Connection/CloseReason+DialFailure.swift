import Node
import Session

extension CloseReason {
    /// What a handshake that came to nothing means for the dial.
    var dialFailure: DialFailure {
        switch self {
        case .ownKey: .ourselves
        case .endedInHandshake(0):
            .unreachable(
                "the other side hung up without a word: it shares no secret with this device, or refuses it"
            )
        case .endedInHandshake: .unreachable("the other side hung up during the handshake")
        case .handshakeFailed: .unreachable("the handshake failed")
        default: .unreachable("the channel ended: \(self)")
        }
    }
}
