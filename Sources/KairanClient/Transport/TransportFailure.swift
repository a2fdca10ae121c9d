import Glibc
import NIOCore

/// Why a request has no answer, or not a whole one.
package enum TransportFailure: Error, Hashable {
    /// The daemon has not got the whole head of the request: it did nothing.
    case unsent(reason: String)
    /// The request was sent, and nothing was answered: it may have been done.
    case unanswered(reason: String)
    /// The connection ended within the answer.
    case broken(reason: String)
    /// The answer is not HTTP/1.1 as the daemon speaks it.
    case unexpected(reason: String)

    /// Whether a request that failed so on an existing connection is sent on another one.
    ///
    /// A connection ends while it is idle when the daemon stops, which may show only when it is used. A request of
    /// which the daemon cannot have the whole head is sent again. One that may have reached the daemon is not: it may
    /// have been performed. This holds for a GET as well: a caller that waits must learn that the daemon went away,
    /// because numbers of messages are valid only while it runs.
    var allowsRepetition: Bool {
        if case .unsent = self { true } else { false }
    }

    /// The failure of an attempt to connect: nothing was sent.
    package init(connecting error: any Error) {
        let reason =
            switch error {
            case let error as IOError: Self.reason(error.errnoCode)
            case is SocketAddressError: "the path does not fit a socket, which takes 107 bytes"
            case ChannelError.connectTimeout: "it does not answer"
            default: "\(error)"
            }
        self = .unsent(reason: reason)
    }

    private static func reason(_ code: CInt) -> String {
        switch code {
        case ENOENT, ENOTDIR: "there is no such socket"
        case EACCES, EPERM: "you may not use it"
        case ECONNREFUSED: "the socket exists, but no daemon listens on it"
        case EAGAIN: "too many connections wait for the daemon"
        case EMFILE, ENFILE: "no file descriptor is left for a connection"
        case EPROTOTYPE, ENOTSOCK: "this is not a daemon's socket"
        default: "error \(code)"
        }
    }
}

extension TransportFailure: CustomStringConvertible {
    /// The reason, as a part of a sentence.
    package var description: String {
        switch self {
        case .unsent(let reason): "nothing was sent: \(reason)"
        case .unanswered(let reason): "the request was sent, and no answer came: \(reason)"
        case .broken(let reason): "the answer was interrupted: \(reason)"
        case .unexpected(let reason): "the answer is not one of a daemon: \(reason)"
        }
    }
}
