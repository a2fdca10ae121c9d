/// An interface on which this node neither shows itself nor looks for others, and why.
package struct IgnoredInterface: Hashable, Sendable, CustomStringConvertible {
    /// Why an interface is left alone.
    package enum Reason: String, Hashable, Sendable {
        /// The kernel or its name says that it belongs to containers, virtual machines or a VPN.
        case virtual = "belongs to containers, virtual machines or a VPN"
        /// It is a bridge to which only this machine's own guests are connected.
        case innerBridge = "is a bridge between this machine and its own guests"
        /// Its network is reached by another interface of this machine.
        case port = "is a port of a bridge or a bond, which is used instead"
        /// It has one other end only; there is no neighbourhood in which to find peers.
        case pointToPoint = "is a point-to-point line"
        /// It cannot carry multicast.
        case noMulticast = "does not carry multicast"
        /// An allow-list is configured, and the interface is not on it.
        case notAllowed = "is not on the list of allowed interfaces"
    }

    /// The interface's name.
    package var name: String
    /// Why it is left alone.
    package var reason: Reason

    /// Names an interface and the reason.
    package init(name: String, reason: Reason) {
        self.name = name
        self.reason = reason
    }

    /// A line for people.
    package var description: String { "\(name) \(reason.rawValue)" }
}
