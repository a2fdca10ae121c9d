import Identity
import Peering
import Wire

/// mDNS between the machines: running machines are announced to all that they can reach, and any machine may lie.
package final class VirtualDiscovery {
    /// A process's announcement of itself.
    struct Announcement {
        var node: Int
        var life: Int
        var instance: String
    }

    /// The world; set before anything happens.
    unowned var simulation: Simulation?
    /// Whether there is mDNS at all.
    package var isPresent: Bool
    private var announcements: [Int: Announcement] = [:]
    /// Names that were heard and not withdrawn, so that a lie can borrow one.
    package var instanceNames: [String] { announcements.sorted { $0.key < $1.key }.map(\.value.instance) }

    /// The longest delay of an announcement, in milliseconds: mDNS repeats itself within some seconds.
    private static let delayMilliseconds: UInt64 = 1_500
    /// How long an announcement is believed after its machine disappeared without notice, in milliseconds.
    private static let expiryMilliseconds: UInt64 = 120_000

    init(isPresent: Bool) {
        self.isPresent = isPresent
    }

    /// Announces a process, and delivers the announcements of the others to it.
    func announce(_ node: SimulatedNode, instance: String) {
        guard isPresent, let simulation else { return }
        announcements[node.index] = Announcement(node: node.index, life: node.life, instance: instance)
        for other in simulation.nodes where other.isRunning && other.index != node.index {
            tell(other, of: node)
            tell(node, of: other)
        }
    }

    /// Repeats a process's announcement, for machines that missed it.
    func repeatAnnouncement(_ node: SimulatedNode) {
        guard isPresent, let simulation, announcements[node.index] != nil else { return }
        for other in simulation.nodes where other.isRunning && other.index != node.index { tell(other, of: node) }
    }

    /// Withdraws the announcement of a process that went away.
    func withdraw(_ node: SimulatedNode, isTold: Bool) {
        guard let simulation, let announcement = announcements.removeValue(forKey: node.index) else { return }
        for other in simulation.nodes where other.isRunning && other.index != node.index {
            let delay = isTold ? simulation.random.number(0...500) : Self.expiryMilliseconds
            simulation.schedule(after: delay, for: other) { $0.process?.withdrawn(announcement.instance) }
        }
    }

    private func tell(_ listener: SimulatedNode, of speaker: SimulatedNode) {
        guard let simulation, let announcement = announcements[speaker.index],
            !simulation.network.isBlocked(LinkDirection(from: speaker.index, to: listener.index))
        else { return }
        let delay = simulation.random.number(10...Self.delayMilliseconds)
        simulation.schedule(after: delay, for: listener) { [unowned simulation] listener in
            guard speaker.life == announcement.life, let process = speaker.process,
                Self.areWithinAnHour(listener.wallMilliseconds, speaker.wallMilliseconds)
            else { return }
            let address = simulation.network.address(of: speaker.index)
            try listener.process?.sighted(ProcessSighting(of: process, as: announcement.instance, at: address))
        }
    }

    /// The tag of an announcement is derived from the hour, and accepted within an hour of the receiver's own.
    private static func areWithinAnHour(_ left: UInt64, _ right: UInt64) -> Bool {
        let hours = (left / 3_600_000, right / 3_600_000)
        return max(hours.0, hours.1) - min(hours.0, hours.1) <= 1
    }

    // MARK: Lies

    /// Announces a service at any address to a node, with the tag of another machine's announcement, so that it is
    /// believed.
    ///
    /// A new name expires after its lifetime, as nothing repeats it.
    package func lie(to node: SimulatedNode, instance: String, address: NetworkAddress) throws {
        guard let process = node.process else { return }
        try process.sighted(ProcessSighting(deceiving: process, as: instance, at: address))
        guard !instanceNames.contains(instance) else { return }
        simulation?.schedule(after: Self.expiryMilliseconds, for: node) { $0.process?.withdrawn(instance) }
    }

    /// Reports to a node that a service has gone.
    package func withdraw(instance: String, for node: SimulatedNode) {
        node.process?.withdrawn(instance)
    }

    /// Announces a great number of services with dead addresses to a node.
    package func flood(_ node: SimulatedNode, count: Int) throws {
        guard let simulation else { return }
        for _ in 0..<count {
            let number = simulation.random.number(0...(1 << 31))
            let address = NetworkAddress(host: 1 << 20 + UInt32(number % 100_000))
            try lie(to: node, instance: "lie-\(number)", address: address)
        }
    }
}
