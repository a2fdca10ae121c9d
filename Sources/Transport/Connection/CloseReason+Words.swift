import Session

extension CloseReason {
    /// Why a handshake came to nothing, for people.
    var words: String {
        switch self {
        case .endedInHandshake(0):
            "the other side hung up without a word: it shares no secret with this device, or refuses it"
        case .endedInHandshake: "the other side hung up during the handshake"
        case .handshakeFailed: "the handshake failed"
        case .ownKey: "the other side shows our own key"
        default: "the channel ended: \(self)"
        }
    }
}
