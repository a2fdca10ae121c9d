import Identity
import Peering
import Session
import Sodium
import Sync
import Wire

/// A secret that a person, or a file, gives to a joining machine.
enum JoiningSecret: Sendable {
    /// A ticket.
    case ticket(PairingTicket)
    /// A token.
    case token(EnrolmentToken)
    /// The recovery words.
    case words(RecoveryKey)

    /// Its name.
    var key: JoiningKey {
        switch self {
        case .ticket(let ticket): .ticket(identifier: ticket.identifier)
        case .token(let token): .enrolment(identifier: token.identifier)
        case .words(let key): .recovery(key: key.publicKey.bytes)
        }
    }

    /// The key of its channels.
    var channelSecret: ChannelSecret {
        switch self {
        case .ticket(let ticket): ticket.channelSecret
        case .token(let token): token.channelSecret
        case .words(let key):
            ChannelSecret(
                purpose: .recovery(key: key.publicKey.bytes),
                key: key.door.presharedKey(),
                sign: { key.signingKey.signature(over: $0, context: $1) }
            )
        }
    }

    var recoveryKey: RecoveryKey? {
        if case .words(let key) = self { key } else { nil }
    }
}
