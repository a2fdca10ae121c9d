/// Why a dial ended without a channel.
package enum DialFailure: Hashable, Sendable {
    /// The address is this device's own.
    case ourselves
    /// The other side hung up without a word.
    case ignored
    /// No answer came in time.
    case silence
    /// The machine reports that nothing listens there.
    case refused
    /// No route leads there; the words are the system's.
    case noRoute(String)
    /// The dial failed for another cause, in words for people.
    case unreachable(String)
}

extension DialFailure: CustomStringConvertible {
    /// The words for people.
    package var description: String {
        switch self {
        case .ourselves: "the address is this device's own"
        case .ignored:
            "the other side closed the connection without a message: it shares no secret with this device, does not speak the version, or refuses it"
        case .silence: "no answer in time"
        case .refused: "connection refused"
        case .noRoute(let words), .unreachable(let words): words
        }
    }
}
