/// Why a dial ended without a channel.
package enum DialFailure: Hashable, Sendable {
    /// The address is this device's own.
    case ourselves
    /// Nobody was reached; why, in words for people.
    case unreachable(String)
}

extension DialFailure: CustomStringConvertible {
    /// The words for people.
    package var description: String {
        switch self {
        case .ourselves: "the address is this device's own"
        case .unreachable(let words): words
        }
    }
}
