internal import Glibc

/// Asks the kernel for the interfaces of the network namespace that this process lives in.
enum KernelInterfaces {
    private static let devices = DeviceDirectory(path: "/sys/class/net")

    /// All interfaces, by ascending index.
    ///
    /// It is empty when the kernel refuses to say, which leaves discovery idle and nothing broken.
    static func all() -> [NetworkInterface] {
        var head: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&head) == 0 else { return [] }
        // SAFETY: the list lives until freeifaddrs below; nothing of it is kept.
        defer { unsafe freeifaddrs(head) }
        let routed = RoutingTable.defaultInterfaces()
        var indices: [String: UInt32] = [:]
        var found: [UInt32: NetworkInterface] = [:]
        var next = unsafe head
        while let entry = unsafe next {
            // SAFETY: getifaddrs returns a well-formed list whose names end with a zero byte.
            unsafe next = entry.pointee.ifa_next
            let name = unsafe String(cString: entry.pointee.ifa_name)
            let index = unsafe indices[name] ?? if_nametoindex(name)
            // An interface that went away meanwhile has no index any more.
            guard index > 0 else { continue }
            indices[name] = index
            if found[index] == nil {
                let flags = unsafe Int(entry.pointee.ifa_flags)
                found[index] = interface(name, index, flags: flags, hasDefaultRoute: routed.contains(name))
            }
            // SAFETY: an address, where there is one, is as long as its family says.
            switch unsafe entry.pointee.ifa_addr.flatMap({ unsafe scope(of: $0) }) {
            case .link?: found[index]?.hasLinkLocalAddress = true
            case .routable?: found[index]?.hasRoutableAddress = true
            case nil: break
            }
        }
        return found.values.sorted { $0.index < $1.index }
    }

    private static func interface(
        _ name: String,
        _ index: UInt32,
        flags: Int,
        hasDefaultRoute: Bool
    ) -> NetworkInterface {
        NetworkInterface(
            name: name,
            index: index,
            isUp: flags & Int(IFF_UP) != 0,
            isMulticast: flags & Int(IFF_MULTICAST) != 0,
            isLoopback: flags & Int(IFF_LOOPBACK) != 0,
            isPointToPoint: flags & Int(IFF_POINTOPOINT) != 0,
            kind: devices.kind(of: name, index),
            hasHardware: devices.hasHardware(name, index),
            hasDefaultRoute: hasDefaultRoute
        )
    }

    private enum AddressScope { case link, routable }

    private static func scope(of address: UnsafeMutablePointer<sockaddr>) -> AddressScope? {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            // SAFETY: the family says that it is a sockaddr_in.
            let number = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
            }
            return number >> 16 == 0xA9FE ? .link : .routable
        case AF_INET6:
            // SAFETY: the family says that it is a sockaddr_in6, whose address begins at its eighth byte.
            let first = unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer($0) + 8, count: 2).map { $0 }
            }
            return first[0] == 0xFE && first[1] & 0xC0 == 0x80 ? .link : .routable
        default: return nil
        }
    }
}
