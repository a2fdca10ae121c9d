/// Decides on which interfaces this node shows itself and looks for others.
///
/// Announcing on a container bridge or a VPN would show the node to programs or people outside the home, and would
/// fill the candidates of others with addresses that cannot be reached. So they are left out unless they are named.
/// The kernel's facts come first; names decide only where software always gives the same ones.
package struct InterfacePolicy: Hashable, Sendable {
    /// The outcome for one interface.
    package enum Verdict: Hashable, Sendable {
        /// Publish and browse here.
        case used
        /// Not here, and people should be able to learn why.
        case ignored(IgnoredInterface.Reason)
        /// Not here, as is to be expected: loopback, or switched off.
        case unusable
    }

    /// The outcome for all interfaces.
    package struct Choice: Hashable, Sendable {
        /// The interfaces on which to publish and browse, best first.
        package var used: [NetworkInterface] = []
        /// The interfaces that are left alone, in the order given, without ports: their bridges are used or listed instead.
        package var ignored: [IgnoredInterface] = []
        /// The interfaces that would be used if there were not so many, best first.
        package var leftOut: [NetworkInterface] = []
    }

    /// The prefixes of the names of interfaces made by software: containers, virtual machines, VPNs.
    package static let virtualPrefixes = [
        "docker", "veth", "virbr", "vnet", "vmnet", "vboxnet", "lxc", "lxd", "incusbr", "mpqemubr", "podman", "nerdctl",
        "cni", "flannel", "cali", "cilium", "weave", "waydroid", "tun", "tap", "wg", "tailscale", "zt", "ppp", "utun",
    ]

    /// The most interfaces in use.
    ///
    /// avahi-daemon allows a client 1,024 objects by default: two for each interface, and one for each of at most 256
    /// candidates.
    package static let usedCountMax = 128

    /// The only interfaces to use; `nil` for every sensible one.
    package var allowed: Set<String>?

    /// Makes a policy.
    /// - Parameter allowed: Names of the only interfaces to use, of any kind; `nil` or empty for every
    ///   interface that carries multicast and does not look virtual.
    package init(allowed: [String]? = nil) {
        self.allowed = allowed.flatMap { $0.isEmpty ? nil : Set($0) }
    }

    /// The outcome for one interface.
    /// - Parameter interface: Any interface of this machine.
    /// - Returns: Whether to use it, and if not, why.
    package func verdict(on interface: NetworkInterface) -> Verdict {
        if interface.isLoopback || !interface.isUp { return .unusable }
        if let allowed {
            guard allowed.contains(interface.name) else { return .ignored(.notAllowed) }
            return interface.isMulticast ? .used : .ignored(.noMulticast)
        }
        // Before the names: the host's end of a container's line is a port as well, and its bridge is the one that
        // matters.
        if interface.kind == .port { return .ignored(.port) }
        if interface.kind == .tunnel || Self.isVirtual(interface.name) { return .ignored(.virtual) }
        if interface.isPointToPoint { return .ignored(.pointToPoint) }
        guard interface.isMulticast else { return .ignored(.noMulticast) }
        // A bridge that leads nowhere but to this machine's own guests; by which the internet is reached, it does.
        if interface.kind == .innerBridge, !interface.hasDefaultRoute { return .ignored(.innerBridge) }
        return .used
    }

    /// Chooses among all interfaces.
    /// - Parameters:
    ///   - interfaces: The interfaces of this machine.
    ///   - familiar: The names of those on which another node was seen before.
    /// - Returns: The interfaces to use, at most ``usedCountMax``, and the others, with the reason.
    package func choice(of interfaces: [NetworkInterface], familiar: Set<String> = []) -> Choice {
        var choice = Choice()
        var fit: [NetworkInterface] = []
        var inner: [NetworkInterface] = []
        for interface in interfaces {
            switch verdict(on: interface) {
            case .used: fit.append(interface)
            case .ignored(.innerBridge): inner.append(interface)
            // Its bridge is used or listed; with each container that starts there is another port.
            case .ignored(.port): break
            case .ignored(let reason): choice.ignored.append(IgnoredInterface(name: interface.name, reason: reason))
            case .unusable: break
            }
        }
        if fit.isEmpty {
            // Whether a bridge leads anywhere is the least certain of all: better there than nowhere.
            fit = inner
        } else {
            choice.ignored += inner.map { IgnoredInterface(name: $0.name, reason: .innerBridge) }
        }
        fit.sort { left, right in
            let (first, second) = (Self.worth(left, familiar), Self.worth(right, familiar))
            return first == second ? left.index < right.index : first > second
        }
        choice.used = Array(fit.prefix(Self.usedCountMax))
        choice.leftOut = Array(fit.dropFirst(Self.usedCountMax))
        return choice
    }

    /// The likelihood of other devices on an interface: each fact outweighs all that come after it.
    private static func worth(_ interface: NetworkInterface, _ familiar: Set<String>) -> Int {
        let facts = [
            interface.hasDefaultRoute, familiar.contains(interface.name), interface.hasRoutableAddress,
            interface.hasLinkLocalAddress, interface.hasHardware,
        ]
        return facts.reduce(0) { 2 * $0 + ($1 ? 1 : 0) }
    }

    private static func isVirtual(_ name: String) -> Bool {
        virtualPrefixes.contains(where: name.hasPrefix) || isDockerBridge(name)
    }

    /// Whether Docker calls a bridge so: `br-` and the first twelve hexadecimal digits of the network's id.
    ///
    /// People call bridges `br-lan`.
    private static func isDockerBridge(_ name: String) -> Bool {
        guard name.hasPrefix("br-") else { return false }
        let rest = name.utf8.dropFirst(3)
        return rest.count == 12
            && rest.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                default: false
                }
            }
    }
}
