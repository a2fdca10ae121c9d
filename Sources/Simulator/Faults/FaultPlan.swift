import Sync

/// The faults and their times: drawn from the options, injected into the world, and mended at the end.
package final class FaultPlan {
    unowned let simulation: Simulation
    var random: SeededGenerator
    /// Copies of disks, made at arbitrary moments before they are needed.
    var images: [Int: [DiskImage]] = [:]
    /// Whether no more faults happen.
    package private(set) var isOver = false
    /// Nodes that a scenario keeps off in every case.
    package var kept: Set<Int> = []
    /// The one member that breaks the protocol on purpose, once it has begun.
    var byzantineNode: Int?
    /// The misdeeds of that member.
    var misdeeds: [Misdeed]
    /// Whether a disk was copied: two machines with one device are enough.
    var hasCloned = false
    /// The number of devices that were added while the history ran.
    package internal(set) var additions = 0
    /// The number of devices that were removed.
    package internal(set) var removals = 0

    /// A plan for a world.
    /// - Parameter simulation: The world.
    package init(_ simulation: Simulation) {
        self.simulation = simulation
        random = SeededGenerator(seed: simulation.random.next())
        misdeeds = Misdeed.ofDevices + (simulation.options.isSealed ? Misdeed.ofSeals : [])
    }

    /// Plans the faults of a stretch of time.
    /// - Parameters:
    ///   - end: The end of the stretch, in simulated milliseconds; it begins now.
    ///   - perMinute: The mean number of faults a minute.
    package func plan(until end: UInt64, perMinute: Double) {
        let kinds = simulation.options.faults.sorted()
        guard !kinds.isEmpty, end > simulation.now else { return }
        let count = Int(Double(end - simulation.now) / 60_000 * perMinute)
        for _ in 0..<count {
            let time = random.number(simulation.now...end)
            guard let kind = random.element(of: kinds) else { continue }
            simulation.schedule(at: time) { [self] in
                if !isOver { try happen(kind) }
            }
        }
        guard kinds.contains(where: { [.restoreDatabase, .restoreWithSentinel, .restoreWhole, .clone].contains($0) })
        else { return }
        for _ in 0..<max(count / 2, 3) {
            simulation.schedule(at: random.number(simulation.now...end)) { [self] in takeImage() }
        }
    }

    /// Mends all faults: links, disks, clocks, power.
    ///
    /// People give up invitations that have no answer.
    /// - Parameter staysOff: Nodes that are left off.
    /// - Throws: ``Violation``.
    package func heal(leaving staysOff: Set<Int> = []) throws {
        isOver = true
        simulation.network.heal()
        for node in simulation.nodes {
            node.disk.faults = DiskFaults()
            node.joiningStepsUntilPowerLoss = nil
            if node.wallOffset != 0 { node.setWallOffset(0) }
            if !staysOff.contains(node.index), !kept.contains(node.index), !node.isRunning { try node.start() }
        }
        for node in simulation.nodes where node.isRunning {
            simulation.discovery.repeatAnnouncement(node)
            // A device that goes on asking may be admitted at the last moment, when it has nothing of the zone yet.
            try node.process?.forgetInvitations()
        }
    }

    // MARK: Chance

    /// A running node.
    func anyNode() -> SimulatedNode? {
        random.element(of: simulation.nodes.filter(\.isRunning))
    }

    /// Two machines.
    func anyPair() -> (Int, Int)? {
        guard simulation.nodes.count > 1 else { return nil }
        let first = random.index(below: simulation.nodes.count)
        let second = random.index(below: simulation.nodes.count - 1)
        return (first, second >= first ? second + 1 : second)
    }

    /// An open connection.
    func anyConnection() -> Connection? {
        random.element(of: simulation.network.openConnections)
    }

    /// Some seconds to some minutes.
    func anyWhile() -> UInt64 {
        random.chance(0.5) ? random.number(100...10_000) : random.exponential(mean: 60_000)
    }

    /// Schedules an action, which is skipped once the faults are over.
    func later(_ delay: UInt64, _ body: @escaping () throws -> Void) {
        simulation.schedule(at: simulation.now + delay) { [self] in
            if !isOver { try body() }
        }
    }

    /// Switches a machine on again later, unless that was done meanwhile.
    func startLater(_ node: SimulatedNode, after delay: UInt64) {
        later(delay) { [self] in
            if !node.isRunning, !kept.contains(node.index) { try node.start() }
        }
    }

    private func takeImage() {
        guard let node = random.element(of: simulation.nodes), node.store != nil else { return }
        images[node.index, default: []].append(node.disk.image())
    }
}
