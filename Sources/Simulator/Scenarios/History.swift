import Identity
import Records
import Sync
import Wire

/// A running history: the world, the judge, the applications and the faults.
package final class History {
    /// The world.
    package let simulation: Simulation
    /// The judge that watches it.
    package let judge: Judge
    /// The applications.
    package let workload: Workload
    /// The decisions of people about zones that several accounts share.
    package let sharing: SharingWorkload
    /// The applications that send messages.
    let messenger: Messenger
    /// The applications that attach contents to records.
    let assets: AssetWorkload
    /// The faults.
    package let faults: FaultPlan
    /// A script's own source of randomness.
    var random: SeededGenerator
    /// The source of randomness for strangers, so that a history without them stays as it was before they existed.
    var strangerRandom: SeededGenerator
    /// The time of each convergence, in milliseconds.
    package private(set) var convergenceMilliseconds: [UInt64] = []

    /// How long nodes may differ after the end of all faults, in milliseconds.
    ///
    /// A dead connection is noticed after 50 s, a dial is repeated within 30 s, and a pair compares about once a
    /// minute.
    static let convergenceLimit: UInt64 = 180_000

    /// The mean length of a year, for clocks that are wrong by many.
    static let yearMilliseconds: Int64 = 31_557_600_000

    init(seed: UInt64, options: SimulationOptions) throws {
        judge = Judge()
        simulation = try Simulation(seed: seed, options: options, judge: judge)
        workload = Workload(simulation)
        faults = FaultPlan(simulation)
        random = SeededGenerator(seed: simulation.random.next())
        strangerRandom = SeededGenerator(seed: seed ^ 0x5354_5247)
        sharing = SharingWorkload(simulation, seed: seed ^ 0x5A4E)
        messenger = Messenger(simulation, seed: seed ^ 0x4D53_4753)
        assets = AssetWorkload(simulation, judge: judge, messenger: messenger, seed: seed ^ 0x4153_5354)
    }

    /// The options of the history.
    var options: SimulationOptions { simulation.options }

    /// The nodes.
    var nodes: [SimulatedNode] { simulation.nodes }

    // MARK: Parts of a history

    /// Switches all machines on and creates the default zone.
    func begin() throws {
        for node in nodes { try node.start() }
        try workload.createFirstZone()
        try simulation.run(until: simulation.now + 5_000)
    }

    /// Lets applications work and faults happen for a while.
    func disturb(for duration: UInt64? = nil) throws {
        let end = simulation.now + (duration ?? options.faultDuration)
        workload.plan(until: end, perMinute: options.requestsPerMinute)
        faults.plan(until: end, perMinute: options.faultsPerMinute)
        if simulation.hasSeveralAccounts { sharing.plan(until: end, perMinute: options.requestsPerMinute / 3 + 1) }
        try simulation.run(until: end)
    }

    /// Lets time pass.
    func wait(_ milliseconds: UInt64) throws {
        try simulation.run(until: simulation.now + milliseconds)
    }

    /// Switches all machines off for a while.
    func sleep(_ milliseconds: UInt64) throws {
        for node in nodes where node.isRunning { try node.stop() }
        try wait(milliseconds)
        for node in nodes where !node.isRunning && !faults.kept.contains(node.index) { try node.start() }
    }

    /// Ends all faults and requires that all members that may hold the same operations do.
    /// - Parameter staysOff: Machines that are not switched on again.
    /// - Throws: ``Violation``.
    func settle(leaving staysOff: Set<Int> = []) throws {
        try faults.heal(leaving: staysOff)
        if simulation.hasSeveralAccounts { try makePeace() }
        // Copies of one machine cannot talk to each other, since each takes the other for itself: if there is no
        // other device left, only one of them stays on.
        if Set(members.map(\.device)).count == 1 {
            for copy in members.dropFirst() { try copy.stop() }
        }
        try excuseUnheld()
        try converge()
        if !judge.evidence.byzantine.isEmpty {
            // A liar's logs need not be alike everywhere, and operations that honest members wrote on top of them
            // wait for them.
            try wait(Self.liarMilliseconds)
            try converge()
        }
        try checkMembers()
    }

    /// Excuses writes held only by machines that are off, removed, or may not read them any more.
    ///
    /// This does not excuse a write that no disk holds at all: it was lost.
    private func excuseUnheld() throws {
        let members = members
        let readers = try readers(among: members)
        let stores = nodes.map { $0.disk.image().database }
        judge.evidence.ledger.excuse(because: "only machines that are off or removed hold it") { write in
            // Writes behind a fork may be restated and withdrawn: it is enough that a member got that far.
            (readers[write.place.key.zone] ?? members).contains { stores[$0.index]?.holds(write.place) ?? false }
                || !stores.contains { $0?.holds(write.place) ?? false }
        }
    }

    /// How long the logs of a liar may take to reach the members that lack them, in milliseconds.
    private static let liarMilliseconds: UInt64 = 60_000

    /// Requires that all members converge.
    func converge() throws {
        let limit = Self.convergenceLimit + transferMilliseconds
        guard let time = try simulation.run(within: limit, until: { try self.isConverged() }) else {
            throw Violation(.convergence, in: simulation, try difference())
        }
        convergenceMilliseconds.append(time)
        guard try isAnybodyWaiting() else { return }
        // The last operations may wait for a log of which nothing is effective. No comparison shows that: the waiting
        // node asks each peer in its turn.
        _ = try simulation.run(within: Self.askingMilliseconds, until: { try !self.isAnybodyWaiting() })
        guard try simulation.run(within: limit, until: { try self.isConverged() }) != nil else {
            throw Violation(.convergence, in: simulation, try difference())
        }
    }

    /// How long a waiting node may take to ask all peers, in milliseconds.
    private static let askingMilliseconds: UInt64 = 90_000

    /// Whether a member holds operations that wait for others.
    private func isAnybodyWaiting() throws -> Bool {
        try members.contains { node in
            guard let process = node.process, let store = node.store else { return false }
            return try ZoneViews(process.committer()).snapshots(store).contains(where: \.isWaiting)
        }
    }

    /// Checks after a while without faults that the members have not diverged again, and that all promises are kept.
    func finish() throws {
        judge.keys.calmSince = simulation.now + Self.supplyMilliseconds
        let end = max(options.duration, simulation.now + 120_000)
        let writeEnd = min(simulation.now + 300_000, end - 60_000)
        if writeEnd > simulation.now { workload.plan(until: writeEnd, perMinute: 2) }
        try simulation.run(until: end)
        try converge()
        try checkCompleteness()
        // A device whose right has run out meanwhile cannot deliver its writes.
        if simulation.hasSeveralAccounts { try excuseUnheld() }
        try checkMembers()
        try judge.final(in: simulation)
    }

    /// Ends all faults, and checks the members once they agree and again after a while.
    func conclude() throws {
        try settle()
        try finish()
    }

    /// Plays a history that has no events of its own.
    func play() throws {
        try begin()
        try disturb()
        try conclude()
    }

    /// Lets applications on a machine write, with a pause after each write.
    func write(on node: SimulatedNode, times: Int) throws {
        for _ in 0..<times {
            try workload.write(on: node)
            try wait(random.number(10...2_000))
        }
    }

    /// Runs the expensive checks on all members.
    func checkMembers() throws {
        try waitForKeys()
        try workload.followAll()
        let members = members
        let circles = simulation.hasSeveralAccounts ? try circles(among: members) : [:]
        let readers = try readers(among: members)
        for node in members {
            guard var look = StoreLook(at: node) else { continue }
            look.circles = circles.compactMapValues { groups in groups.first { $0.contains(node.index) } }
            if simulation.hasSeveralAccounts {
                look.readable = Set(readers.filter { $0.value.contains { $0.index == node.index } }.keys)
            }
            try judge.check(look)
            try judge.checkPromises(look)
        }
    }

    /// Waits until each reader has its keys: a holder delivers a missing key in its next round of maintenance.
    private func waitForKeys() throws {
        func isReadable() throws -> Bool {
            try members.allSatisfy { node in
                try StoreLook(at: node).map { try judge.keys.unreadable($0) == nil } ?? true
            }
        }
        guard options.isSealed, try !isReadable() else { return }
        _ = try simulation.run(within: Self.healingMilliseconds, until: isReadable)
        try converge()
    }

    /// How long a writing device may take to notice that a reader lacks its key, in milliseconds.
    private static let supplyMilliseconds: UInt64 = 120_000

    /// How long the delivery of missing keys may take, in milliseconds: two rounds, and the transfer.
    private static let healingMilliseconds: UInt64 = 180_000

    // MARK: Members that must agree

    /// The running nodes that belong to their accounts by the accounts' combined knowledge.
    var members: [SimulatedNode] {
        let running = simulation.workplaces.filter { !judge.evidence.byzantine.contains($0.device) }
        return simulation.accounts.flatMap { account in belonging(running.filter { $0.accountID == account.id }) }
    }

    /// The devices of an account that belong to it by their combined knowledge.
    private func belonging(_ nodes: [SimulatedNode]) -> [SimulatedNode] {
        var members = nodes
        while true {
            guard let state = commonState(of: members) else { return members }
            let left = members.filter { node in
                if case .active = state.standing(of: node.device) { return true }
                return false
            }
            if left.count == members.count { return members }
            members = left
        }
    }

    private func commonState(of members: [SimulatedNode]) -> AccountState? { commonLog(of: members)?.state }

    /// The account log with all entries that any of these devices knows.
    func commonLog(of members: [SimulatedNode]) -> AccountLog? {
        AccountLog(merging: members.compactMap { $0.process?.log })
    }

    /// Whether all members hold the same zones in the same states.
    func isConverged() throws -> Bool {
        let members = members
        guard let first = members.first else { return true }
        if simulation.hasSeveralAccounts { return try areReadersEqual(members) }
        let wanted = try states(of: first)
        let relays = nodes.filter { $0.isRunning && simulation.relays.contains($0.index) }
        for node in members.dropFirst() + relays where try states(of: node) != wanted { return false }
        for node in members {
            guard let process = node.process, !process.commits.isDue else { return false }
        }
        return true
    }

    func states(of node: SimulatedNode) throws -> [ZoneID: [LogKey: LogState]] {
        guard let process = node.process, let store = node.store else { return [:] }
        return try ZoneViews(process.committer()).snapshots(store).reduce(into: [:]) { states, zone in
            // Nodes cannot be made to agree about the logs of a liar.
            states[zone.zone] = zone.logs.filter { !judge.evidence.byzantine.contains($0.value.device) }
        }
    }

    /// The differences between the members, for people.
    func difference() throws -> String {
        var lines = try differencesOfReaders(members)
        for node in members {
            guard let process = node.process, let store = node.store else { continue }
            for zone in try ZoneViews(process.committer()).snapshots(store) {
                let logs = zone.sortedLogs.map { log in
                    "\(log.actor.shortText)/\(log.lane):\(log.size)"
                }
                lines.append("node \(node.index) zone \(zone.zone.shortText): \(logs.joined(separator: " "))")
            }
            lines.append(
                "node \(node.index), \(node.device.shortText) of \(node.accountID.shortText), has sessions with"
                    + " \(process.sessionDevices.map(\.shortText)); its account's log has \(process.log.entries.count) entries,"
                    + " active are \(process.log.state.activeDevices.map(\.shortText).sorted())"
            )
        }
        return "after the end of all faults the members do not agree\n  " + lines.joined(separator: "\n  ")
    }

    /// The time to move everything that a member may lack over the links as they are, in milliseconds.
    var transferMilliseconds: UInt64 {
        let rate = options.bytesPerMillisecond ?? 1_000_000
        let writtenByteCount = judge.evidence.library.count * 1_500 + messenger.handedInByteCount
        let byteCount = UInt64(writtenByteCount) * UInt64(max(nodes.count, 1))
        let roundTrips = UInt64(options.delayMilliseconds) * 400 + options.commitMilliseconds * 60
        return byteCount / max(rate, 1) + roundTrips
    }
}

extension AccountLog {
    /// Merges what several devices hold of one account's log; `nil` without a device.
    init?(merging logs: [AccountLog]) {
        guard var log = logs.first else { return nil }
        // An entry that is refused here is refused everywhere.
        for other in logs.dropFirst() { _ = try? log.insert(contentsOf: other.entries) }
        self = log
    }
}
