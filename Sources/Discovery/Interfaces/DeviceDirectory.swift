internal import Glibc

/// The directory in which the kernel shows its network devices.
struct DeviceDirectory: Sendable {
    /// The path of the directory.
    let path: String

    /// The kind of a device.
    /// - Parameters:
    ///   - name: Its name.
    ///   - index: Its index: in a namespace that has another one's `/sys`, the same name may be another device.
    /// - Returns: `.ordinary` also where nothing is known.
    func kind(of name: String, _ index: UInt32) -> NetworkInterface.Kind {
        guard isSame(name, index) else { return .ordinary }
        if exists(name, "brport") || exists(name, "bonding_slave") { return .port }
        if exists(name, "tun_flags") || ["wireguard", "vxlan", "geneve"].contains(type(of: name)) { return .tunnel }
        guard exists(name, "bridge") else { return .ordinary }
        return ports(of: name).contains(where: leadsOut) ? .bridge : .innerBridge
    }

    /// Whether there is a device of this machine behind it, and not only the kernel.
    func hasHardware(_ name: String, _ index: UInt32) -> Bool { isSame(name, index) && exists(name, "device") }

    private func isSame(_ name: String, _ index: UInt32) -> Bool {
        let words = text(name, "ifindex")?.split(whereSeparator: \.isWhitespace) ?? []
        return words.first.flatMap { UInt32($0) } == index
    }

    /// Whether a bridge's port may have others behind it than guests of this machine: a device, or an interface
    /// stacked on one.
    private func leadsOut(_ port: String) -> Bool {
        exists(port, "device") || ["bond", "vlan", "wlan", "wwan", "vxlan", "geneve"].contains(type(of: port))
    }

    private func ports(of bridge: String) -> [String] {
        guard let stream = unsafe opendir("\(path)/\(bridge)/brif") else { return [] }
        // SAFETY: the stream is closed once, below; an entry is copied before the next one is read.
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The kernel's name for the kind of a device, where there is one.
    private func type(of name: String) -> String? {
        let lines = text(name, "uevent")?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("DEVTYPE=") }.map { String($0.dropFirst("DEVTYPE=".count)) }
    }

    private func exists(_ name: String, _ entry: String) -> Bool {
        unsafe access("\(path)/\(name)/\(entry)", F_OK) == 0
    }

    private func text(_ name: String, _ entry: String) -> String? {
        ShortFile.text("\(path)/\(name)/\(entry)")
    }
}
