/// Decides on which interfaces this node shows itself and looks for others.
///
/// Announcing on a container bridge or a VPN would show the node to programs or people outside the home, and would
/// fill the candidates of others with addresses that nobody can reach. So they are left out unless they are named.
package struct InterfacePolicy: Hashable, Sendable {
    /// The outcome for one interface.
    package enum Verdict: Hashable, Sendable {
        /// Publish and browse here.
        case used
        /// Not here, and people should be able to learn why.
        case ignored(IgnoredInterface.Reason)
        /// Not here, and nobody would expect it: loopback, or switched off.
        case unusable
    }

    /// How the names of interfaces begin that software made: containers, virtual machines, VPNs.
    package static let virtualPrefixes = [
        "docker", "br-", "veth", "virbr", "vnet", "vmnet", "vboxnet", "lxc", "lxd", "podman", "cni", "flannel", "cali",
        "tun", "tap", "wg", "tailscale", "zt", "ppp", "utun",
    ]

    /// The only interfaces to use; `nil` for every sensible one.
    package var allowed: Set<String>?

    /// Makes a policy.
    /// - Parameter allowed: Names of the only interfaces to use, whatever they look like; `nil` or empty for every
    ///   interface that carries multicast and does not look virtual.
    package init(allowed: [String]? = nil) {
        self.allowed = allowed.flatMap { $0.isEmpty ? nil : Set($0) }
    }

    /// What to do with one interface.
    /// - Parameter interface: Any interface of this machine.
    /// - Returns: Whether to use it, and if not, why.
    package func verdict(on interface: NetworkInterface) -> Verdict {
        if interface.isLoopback || !interface.isUp { return .unusable }
        if let allowed {
            guard allowed.contains(interface.name) else { return .ignored(.notAllowed) }
            return interface.isMulticast ? .used : .ignored(.noMulticast)
        }
        if Self.virtualPrefixes.contains(where: interface.name.hasPrefix) { return .ignored(.virtual) }
        if interface.isPointToPoint { return .ignored(.pointToPoint) }
        return interface.isMulticast ? .used : .ignored(.noMulticast)
    }

    /// The interfaces to use, in the order given.
    package func used(of interfaces: [NetworkInterface]) -> [NetworkInterface] {
        interfaces.filter { verdict(on: $0) == .used }
    }

    /// The interfaces that are left alone for a reason worth telling, in the order given.
    package func ignored(of interfaces: [NetworkInterface]) -> [IgnoredInterface] {
        interfaces.compactMap { interface in
            guard case .ignored(let reason) = verdict(on: interface) else { return nil }
            return IgnoredInterface(name: interface.name, reason: reason)
        }
    }
}
