import Exposition
import Glibc
import Node

/// Readings of the machine and this process, from the kernel.
struct MachineReading: MachinePort {
    /// The state directory.
    let directory: String
    /// Whether systemd has started the process: it gives each service it starts an id.
    private let isService: Bool

    /// - Parameters:
    ///   - directory: The state directory.
    ///   - environment: The process's.
    init(directory: String, environment: [String: String]) {
        self.directory = directory
        isService = environment["NOTIFY_SOCKET"] != nil && environment["INVOCATION_ID"] != nil
    }

    func facts() -> MachineFacts {
        var facts = MachineFacts()
        var room = statvfs()
        if statvfs(directory, &room) == 0 {
            facts.freeByteCount = UInt64(room.f_bavail) * UInt64(room.f_frsize)
            facts.byteCount = UInt64(room.f_blocks) * UInt64(room.f_frsize)
        }
        let descriptors = DescriptorReading()
        facts.descriptorCount = descriptors.count
        facts.descriptorLimit = descriptors.limit
        facts.confinement = isService ? confinement : .byHand
        return facts
    }

    private var confinement: MachineFacts.Confinement? {
        guard let bytes = try? PrivateFile(path: "/proc/self/status").read() else { return nil }
        var values: [Substring: Substring] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1].drop(while: \.isWhitespace) }
        }
        guard let privileges = values["NoNewPrivs"], let calls = values["Seccomp"] else { return nil }
        return .service(gainsNoPrivileges: privileges == "1", filtersCalls: calls == "2")
    }
}
