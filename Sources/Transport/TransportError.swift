/// Why the transport cannot run.
package enum TransportError: Error, Equatable, CustomStringConvertible {
    /// An address in the configuration is not a numeric IP address with a port.
    case notAnAddress(String)
    /// An address cannot be listened on: the port is taken, or the address is not this machine's.
    case cannotListen(address: String, reason: String)

    /// A line for people.
    package var description: String {
        switch self {
        case .notAnAddress(let text): "\(text) is not a numeric IP address with a port"
        case .cannotListen(let address, let reason): "cannot listen on \(address): \(reason)"
        }
    }
}
