import Identity
import Wire

/// mDNS between the machines: who runs is told to everybody whom it can reach, and anybody may lie.
package final class VirtualDiscovery {
    /// What a process says of itself.
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

    /// How long an announcement takes at most, in milliseconds: mDNS repeats itself within some seconds.
    private static let delayMilliseconds: UInt64 = 1_500
    /// How long what a machine said is believed after it went away without a word.
    private static let expiryMilliseconds: UInt64 = 120_000

    init(isPresent: Bool) {
        self.isPresent = isPresent
    }

    /// A process says where it is, and hears what the others say.
    func announce(_ node: SimulatedNode, instance: String) {
        guard isPresent, let simulation else { return }
        announcements[node.index] = Announcement(node: node.index, life: node.life, instance: instance)
        for other in simulation.nodes where other.isRunning && other.index != node.index {
            tell(other, of: node)
            tell(node, of: other)
        }
    }

    /// A process says anew what it has said; whoever missed it hears it now.
    func repeatAnnouncement(_ node: SimulatedNode) {
        guard isPresent, let simulation, announcements[node.index] != nil else { return }
        for other in simulation.nodes where other.isRunning && other.index != node.index { tell(other, of: node) }
    }

    /// A process went away.
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
            guard speaker.life == announcement.life, speaker.isRunning,
                Self.areWithinAnHour(listener.wallMilliseconds, speaker.wallMilliseconds)
            else { return }
            listener.process?.sighted(
                announcement.instance,
                at: simulation.network.address(of: speaker.index),
                account: speaker.accountID,
                fleetKey: speaker.process?.fleet.order.present.entry ?? .zero,
                zones: speaker.process?.announcedZones ?? []
            )
        }
    }

    /// The tag of an announcement is made with the hour, and taken within an hour of one's own.
    private static func areWithinAnHour(_ left: UInt64, _ right: UInt64) -> Bool {
        let hours = (left / 3_600_000, right / 3_600_000)
        return max(hours.0, hours.1) - min(hours.0, hours.1) <= 1
    }

    // MARK: Lies

    /// Tells a node of a service somewhere; the tag of another one's announcement may be borrowed, so it is believed.
    ///
    /// A name of its own is forgotten after its lifetime, as nobody repeats it.
    package func lie(to node: SimulatedNode, instance: String, address: NetworkAddress) {
        guard let process = node.process else { return }
        let fleetKey = process.fleet.order.present.entry
        process.sighted(instance, at: address, account: node.accountID, fleetKey: fleetKey, zones: [])
        guard !instanceNames.contains(instance) else { return }
        simulation?.schedule(after: Self.expiryMilliseconds, for: node) { $0.process?.withdrawn(instance) }
    }

    /// Tells a node that a service has gone.
    package func withdraw(instance: String, for node: SimulatedNode) {
        node.process?.withdrawn(instance)
    }

    /// Tells a node of very many services that lead nowhere.
    package func flood(_ node: SimulatedNode, count: Int) {
        guard let simulation else { return }
        for _ in 0..<count {
            let number = simulation.random.number(0...(1 << 31))
            let address = NetworkAddress(host: 1 << 20 + UInt32(number % 100_000))
            lie(to: node, instance: "lie-\(number)", address: address)
        }
    }
}
