internal import Glibc

/// A network interface of this machine, as far as discovery cares.
package struct NetworkInterface: Hashable, Sendable {
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

    /// Describes an interface.
    package init(
        name: String,
        index: UInt32,
        isUp: Bool = true,
        isMulticast: Bool = true,
        isLoopback: Bool = false,
        isPointToPoint: Bool = false
    ) {
        self.name = name
        self.index = index
        self.isUp = isUp
        self.isMulticast = isMulticast
        self.isLoopback = isLoopback
        self.isPointToPoint = isPointToPoint
    }

    /// The interfaces of the network namespace this process lives in, by ascending index.
    /// - Returns: An empty array when the kernel refuses to say, which leaves discovery idle and nothing broken.
    package static func all() -> [NetworkInterface] {
        var head: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&head) == 0 else { return [] }
        // SAFETY: the list lives until freeifaddrs below; nothing of it is kept.
        defer { unsafe freeifaddrs(head) }
        var found: [UInt32: NetworkInterface] = [:]
        var next = unsafe head
        while let entry = unsafe next {
            // SAFETY: getifaddrs hands out a well-formed list whose names end with a zero byte.
            unsafe next = entry.pointee.ifa_next
            let index = unsafe if_nametoindex(entry.pointee.ifa_name)
            // An interface that went away meanwhile has no index any more.
            guard index > 0, found[index] == nil else { continue }
            let flags = unsafe Int(entry.pointee.ifa_flags)
            found[index] = NetworkInterface(
                name: unsafe String(cString: entry.pointee.ifa_name),
                index: index,
                isUp: flags & Int(IFF_UP) != 0,
                isMulticast: flags & Int(IFF_MULTICAST) != 0,
                isLoopback: flags & Int(IFF_LOOPBACK) != 0,
                isPointToPoint: flags & Int(IFF_POINTOPOINT) != 0
            )
        }
        return found.values.sorted { $0.index < $1.index }
    }
}
