/// A network interface of this machine, as far as discovery cares.
package struct NetworkInterface: Hashable, Sendable {
    /// The kind of an interface, as the kernel reports it.
    package enum Kind: Hashable, Sendable {
        /// None of the other kinds, or a kind that the kernel does not tell.
        case ordinary
        /// A tunnel to a program or another network: tun, tap, WireGuard, VXLAN.
        case tunnel
        /// A port of a bridge or a bond.
        case port
        /// A bridge with a port that leads out of this machine.
        case bridge
        /// A bridge all of whose ports, if it has any, lead to containers or virtual machines of this machine.
        case innerBridge
    }

    /// The name, such as `eth0`; may change while the index stays.
    package var name: String
    /// The kernel's index, from 1; never reused while the machine is up, for all practical purposes.
    package var index: UInt32
    /// Whether it is switched on.
    package var isUp: Bool
    /// Whether it can carry multicast, without which there is no mDNS.
    package var isMulticast: Bool
    /// Whether it leads only to this machine itself.
    package var isLoopback: Bool
    /// Whether it has exactly one other end: tunnels and dial-up lines.
    package var isPointToPoint: Bool
    /// The kind, as the kernel reports it.
    package var kind: Kind
    /// Whether there is a device behind it, and not only the kernel.
    package var hasHardware: Bool
    /// Whether other networks are reached through it.
    package var hasDefaultRoute: Bool
    /// Whether it has an address that means something beyond its own link.
    package var hasRoutableAddress: Bool
    /// Whether it has an address that means something on its own link alone.
    package var hasLinkLocalAddress: Bool

    /// Describes an interface.
    package init(
        name: String,
        index: UInt32,
        isUp: Bool = true,
        isMulticast: Bool = true,
        isLoopback: Bool = false,
        isPointToPoint: Bool = false,
        kind: Kind = .ordinary,
        hasHardware: Bool = false,
        hasDefaultRoute: Bool = false,
        hasRoutableAddress: Bool = false,
        hasLinkLocalAddress: Bool = false
    ) {
        self.name = name
        self.index = index
        self.isUp = isUp
        self.isMulticast = isMulticast
        self.isLoopback = isLoopback
        self.isPointToPoint = isPointToPoint
        self.kind = kind
        self.hasHardware = hasHardware
        self.hasDefaultRoute = hasDefaultRoute
        self.hasRoutableAddress = hasRoutableAddress
        self.hasLinkLocalAddress = hasLinkLocalAddress
    }

    /// The interfaces of the network namespace this process lives in, by ascending index.
    /// - Returns: An empty array when the kernel refuses to say, which leaves discovery idle and nothing broken.
    package static func all() -> [NetworkInterface] { KernelInterfaces.all() }
}
