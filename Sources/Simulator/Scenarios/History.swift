import Identity
import Records
import Sync
import Wire

/// A history while it runs: the world, who watches, what applications do and what goes wrong.
package final class History {
    /// The world.
    package let simulation: Simulation
    /// Who watches.
    package let judge: Judge
    /// What applications do.
    package let workload: Workload
    /// What people decide about zones that several accounts share.
    package let sharing: SharingWorkload
    /// What applications do that send messages.
    let messenger: Messenger
    /// What goes wrong.
    package let faults: FaultPlan
    /// Where a script's own chance comes from.
    var random: SeededGenerator
    /// Where that of strangers comes from, so that a history without them is the history that it was before there were any.
    var strangerRandom: SeededGenerator
    /// How long it took each time until all were equal.
    package private(set) var convergenceMilliseconds: [UInt64] = []

    /// For how long after the end of all faults nodes may differ: a dead connection is noticed after 50 s, a dial is tried
    /// again within 30 s, and a pair compares about once a minute.
    static let convergenceLimit: UInt64 = 180_000

    init(seed: UInt64, options: SimulationOptions) throws {
        judge = Judge()
        simulation = try Simulation(seed: seed, options: options, judge: judge)
        workload = Workload(simulation)
        faults = FaultPlan(simulation)
        random = SeededGenerator(seed: simulation.random.next())
        strangerRandom = SeededGenerator(seed: seed ^ 0x5354_5247)
        sharing = SharingWorkload(simulation, seed: seed ^ 0x5A4E)
        messenger = Messenger(simulation, seed: seed ^ 0x4D53_4753)
    }

    /// What it is like.
    var options: SimulationOptions { simulation.options }

    /// The nodes.
    var nodes: [SimulatedNode] { simulation.nodes }

    // MARK: Parts of a history

    /// Switches all machines on and makes the default zone.
    func begin() throws {
        for node in nodes { try node.start() }
        try workload.createFirstZone()
        try simulation.run(until: simulation.now + 5_000)
    }

    /// Lets applications work and things go wrong for a while.
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

    /// All machines are off for a while.
    func sleep(_ milliseconds: UInt64) throws {
        for node in nodes where node.isRunning { try node.stop() }
        try wait(milliseconds)
        for node in nodes where !node.isRunning && !faults.kept.contains(node.index) { try node.start() }
    }

    /// Ends all faults and requires that everybody who may comes to the same.
    /// - Parameter staysOff: Machines that nobody switches on again.
    /// - Throws: ``Violation``.
    func settle(leaving staysOff: Set<Int> = []) throws {
        try faults.heal(leaving: staysOff)
        if simulation.hasSeveralAccounts { try makePeace() }
        // Copies of one machine cannot talk to each other, since each takes the other for itself: where nobody else is left,
        // only one of them stays on.
        if Set(members.map(\.device)).count == 1 {
            for copy in members.dropFirst() { try copy.stop() }
        }
        try excuseUnheld()
        try converge()
        if !judge.byzantine.isEmpty {
            // Nobody asks that a liar's logs are alike, and what honest members wrote on top of them waits for them.
            try wait(Self.liarMilliseconds)
            try converge()
        }
        try checkMembers()
    }

    /// Excuses what machines alone hold that are off, removed, or may not read it any more.
    ///
    /// What no disk holds at all is not excused by that: it was lost.
    private func excuseUnheld() throws {
        let members = members
        let readers = try readers(among: members)
        let stores = nodes.map { $0.disk.image().database }
        judge.ledger.excuse(because: "only machines that are off or removed hold it") { write in
            // What stood behind a fork may be restated and taken back: that somebody got so far is enough.
            (readers[write.place.key.zone] ?? members).contains { self.judge.holds(stores[$0.index], write.place) }
                || !stores.contains { self.judge.holds($0, write.place) }
        }
    }

    /// How long the logs of one who lies may take to reach those who lack them.
    private static let liarMilliseconds: UInt64 = 60_000

    /// Requires that all members come to the same.
    func converge() throws {
        let limit = Self.convergenceLimit + transferMilliseconds
        guard let time = try simulation.run(within: limit, until: { try self.isConverged() }) else {
            throw Violation(.convergence, time: simulation.now, node: nil, try difference())
        }
        convergenceMilliseconds.append(time)
        guard try isAnybodyWaiting() else { return }
        // What came last may wait for a log of which nothing counts. That is in no comparison: whoever waits asks, in its turn.
        _ = try simulation.run(within: Self.askingMilliseconds, until: { try !self.isAnybodyWaiting() })
        guard try simulation.run(within: limit, until: { try self.isConverged() }) != nil else {
            throw Violation(.convergence, time: simulation.now, node: nil, try difference())
        }
    }

    /// How long it may take until whoever waits has asked everybody.
    private static let askingMilliseconds: UInt64 = 90_000

    /// Whether a member holds operations that wait for others.
    private func isAnybodyWaiting() throws -> Bool {
        try members.contains { node in
            guard let process = node.process, let store = node.store else { return false }
            return try process.committer().snapshots(store).contains(where: \.isWaiting)
        }
    }

    /// After a while without faults: nothing has come apart again, and everything promised is there.
    func finish() throws {
        judge.calmSince = simulation.now + Self.supplyMilliseconds
        let end = max(options.duration, simulation.now + 120_000)
        let writeEnd = min(simulation.now + 300_000, end - 60_000)
        if writeEnd > simulation.now { workload.plan(until: writeEnd, perMinute: 2) }
        try simulation.run(until: end)
        try converge()
        try checkCompleteness()
        // Whose right has run out meanwhile cannot hand over what it writes.
        if simulation.hasSeveralAccounts { try excuseUnheld() }
        try checkMembers()
        try judge.final(in: simulation)
    }

    /// The dear checks of all members.
    func checkMembers() throws {
        try waitForKeys()
        try workload.followAll()
        let members = members
        let circles = simulation.hasSeveralAccounts ? try circles(among: members) : []
        let readers = try readers(among: members)
        for node in members {
            guard var look = judge.look(at: node, in: simulation) else { continue }
            if circles.count > 1 { look.circle = circles.first { $0.contains(node.index) } }
            if simulation.hasSeveralAccounts {
                look.readable = Set(readers.filter { $0.value.contains { $0.index == node.index } }.keys)
            }
            try judge.check(look)
            try judge.checkPromises(look)
        }
    }

    /// Who lacks a key is given it in the next round of maintenance of somebody who has it.
    private func waitForKeys() throws {
        func isReadable() throws -> Bool {
            try members.allSatisfy { node in
                try judge.look(at: node, in: simulation).map { try judge.unreadable($0) == nil } ?? true
            }
        }
        guard options.isSealed, try !isReadable() else { return }
        _ = try simulation.run(within: Self.healingMilliseconds, until: isReadable)
        try converge()
    }

    /// How long whoever writes may take to notice that somebody lacks its key.
    private static let supplyMilliseconds: UInt64 = 120_000

    /// How long that may take: two rounds, and what is sent.
    private static let healingMilliseconds: UInt64 = 180_000

    // MARK: Who must agree

    /// The running nodes that belong to the account as they know it together.
    var members: [SimulatedNode] {
        let running = simulation.workplaces.filter { !judge.byzantine.contains($0.device) }
        return simulation.accounts.flatMap { account in belonging(running.filter { $0.accountID == account.id }) }
    }

    /// Those of an account's devices that are in it as they know it together.
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

    /// What devices of an account know of it together.
    func commonLog(of members: [SimulatedNode]) -> AccountLog? {
        guard var log = members.first?.process?.log else { return nil }
        // An entry that is refused here is refused everywhere.
        for node in members { _ = try? log.insert(contentsOf: node.process?.log.entries ?? []) }
        return log
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
            guard let process = node.process, process.waitingJobCount == 0 else { return false }
        }
        return true
    }

    func states(of node: SimulatedNode) throws -> [ZoneID: [LogKey: LogState]] {
        guard let process = node.process, let store = node.store else { return [:] }
        return try process.committer().snapshots(store).reduce(into: [:]) { states, zone in
            // About the logs of one who lies nobody can be made to agree.
            states[zone.zone] = zone.logs.filter { !judge.byzantine.contains($0.value.device) }
        }
    }

    /// What the members differ in, for people.
    func difference() throws -> String {
        var lines = try differencesOfReaders(members)
        for node in members {
            guard let process = node.process, let store = node.store else { continue }
            for zone in try process.committer().snapshots(store) {
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

    /// How long it takes to move everything that somebody may lack over the links as they are.
    var transferMilliseconds: UInt64 {
        let rate = options.bytesPerMillisecond ?? 1_000_000
        let byteCount = UInt64(judge.library.count * 1_500 + messenger.handedInByteCount) * UInt64(max(nodes.count, 1))
        let roundTrips = UInt64(options.delayMilliseconds) * 400 + options.commitMilliseconds * 60
        return byteCount / max(rate, 1) + roundTrips
    }
}
