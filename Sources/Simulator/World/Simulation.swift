package import Identity
import Sync
package import Wire

/// One history of a few machines, the network between them and its faults: everything follows from one seed.
///
/// One process, one thread. The nodes run the production core; time, network and disks are virtual. An event is handled to
/// its end before the next one begins.
package final class Simulation {
    /// Whether this build checks the assertions of the core; a history that passes without them has not been checked.
    package static var checksAssertions: Bool { Assertions.areActive }

    /// The seed from which the history follows.
    package let seed: UInt64
    /// The options of the history.
    package let options: SimulationOptions
    /// The time, in milliseconds since the history began.
    package private(set) var now: UInt64 = 1_000
    /// The only randomness.
    package var random: SeededGenerator
    /// The running hash over all events.
    package var trace = Trace()
    /// Counts of the events so far.
    package var statistics = SimulationStatistics()
    /// The judge that watches the history.
    package var judge: SimulationJudge
    /// The machines, by their index.
    package private(set) var nodes: [SimulatedNode] = []
    /// The accounts; machines are assigned to them in order.
    package let accounts: [FoundedAccount]
    /// The network between the machines.
    package private(set) var network: Network
    /// Whether devices of an account must complete their handshakes soon.
    var awaitsMembers = false
    /// The machines that are relays.
    package private(set) var relays: Set<Int> = []
    /// The relays outside of all accounts that keep mailboxes.
    private(set) var mailRelays: [VirtualRelay] = []
    /// The mDNS between the machines.
    package private(set) var discovery: VirtualDiscovery
    private var queue = EventQueue()
    private var number: UInt64 = 0

    /// The reading of wall clocks when a history begins, in milliseconds since 1970.
    package static let wallStart: UInt64 = 1_767_225_600_000

    /// Makes the world of a seed; no process runs yet.
    /// - Parameters:
    ///   - seed: The seed from which everything follows.
    ///   - options: The options of the history; `nil` = drawn from the seed.
    ///   - judge: The judge that watches the history.
    /// - Throws: Errors of the account; never in fact.
    package init(
        seed: UInt64,
        options: SimulationOptions? = nil,
        judge: SimulationJudge = SimulationJudge()
    ) throws {
        var random = SeededGenerator(seed: seed)
        let drawn = SimulationOptions.drawn(using: &random)
        self.seed = seed
        self.options = options ?? drawn
        self.judge = judge
        let hasPartialLogs = self.options.hasPartialLogs
        let statesPairKeys = self.options.hasPairs
        let isSealed = self.options.isSealed
        let hasWords = self.options.hasAccountKeys
        let relayCount = self.options.relayCount
        accounts = try self.options.deviceCounts.map { count in
            try FoundedAccount(
                deviceCount: count,
                hasPartialLogs: hasPartialLogs,
                statesPairKey: statesPairKeys,
                isSealed: isSealed,
                hasWords: hasWords,
                relayCount: relayCount,
                random: &random
            )
        }
        self.random = random
        network = Network(options: self.options)
        discovery = VirtualDiscovery(isPresent: self.options.hasDiscovery)
        network.simulation = self
        discovery.simulation = self
        for account in accounts {
            for member in account.members {
                let node = try insert(device: member.device, log: member.log, keyring: account.keyring)
                if member.isRelay { relays.insert(node.index) }
            }
        }
        mailRelays = try (0..<self.options.mailRelayCount).map { try VirtualRelay(self, index: $0) }
    }

    /// Adds a machine that is switched off.
    /// - Parameters:
    ///   - device: Its keys and certificate.
    ///   - log: The account log on its disk.
    ///   - keyring: The secrets of its account.
    /// - Returns: The node.
    /// - Throws: Errors of its disk; never in fact.
    @discardableResult
    package func insert(
        device: FoundedAccount.Device,
        log: AccountLog,
        keyring: AccountKeyring
    ) throws -> SimulatedNode {
        let index = nodes.count
        let disk = VirtualDisk(node: index, keys: DiskKeys(device: device, keyring: keyring))
        try disk.writeDurably(AccountFile.encode(log.entries), to: .accountLog)
        let node = SimulatedNode(
            index: index,
            disk: disk,
            account: log.account,
            simulation: self,
            seed: random.next()
        )
        nodes.append(node)
        network.place(node: index)
        return node
    }

    /// The running machines that people work on.
    ///
    /// A joining machine has an account of its own, without a user.
    package var workplaces: [SimulatedNode] {
        nodes.filter { $0.isRunning && !relays.contains($0.index) && isInAnAccount($0) }
    }

    /// Whether a machine belongs to one of the accounts; a joining one does not yet.
    func isInAnAccount(_ node: SimulatedNode) -> Bool { accounts.contains { $0.id == node.accountID } }

    /// Whether there is more than one account.
    package var hasSeveralAccounts: Bool { accounts.count > 1 }

    /// Returns a new number.
    package func makeNumber() -> UInt64 {
        number += 1
        return number
    }

    /// The machine that runs a device; the first of several clones.
    package func node(of device: DeviceID) -> SimulatedNode? {
        nodes.first { $0.device == device }
    }

    // MARK: Time

    /// Schedules an action on a node at a time, unless its process has ended by then.
    package func schedule(
        at time: UInt64,
        for node: SimulatedNode,
        _ body: @escaping (SimulatedNode) throws -> Void
    ) {
        queue.insert(.node(node, life: node.life, body), at: max(time, now))
    }

    /// Schedules an action on a node after a delay, unless its process has ended by then.
    package func schedule(
        after delay: UInt64,
        for node: SimulatedNode,
        _ body: @escaping (SimulatedNode) throws -> Void
    ) {
        schedule(at: now + delay, for: node, body)
    }

    /// Schedules an action at a time, independently of all nodes.
    package func schedule(at time: UInt64, _ body: @escaping () throws -> Void) {
        queue.insert(.world(body), at: max(time, now))
    }

    func insert(_ event: SimulationEvent, at time: UInt64) {
        queue.insert(event, at: max(time, now))
    }

    /// Lets time pass up to a moment, including the events of that moment.
    /// - Throws: ``Violation``.
    package func run(until end: UInt64) throws {
        while let time = queue.nextTime, time <= end {
            now = time
            try step()
        }
        now = max(now, end)
    }

    /// Lets time pass until a condition holds, which is evaluated at intervals.
    /// - Parameters:
    ///   - limit: The longest time to wait, in milliseconds.
    ///   - interval: The interval between evaluations, in milliseconds.
    ///   - condition: The condition.
    /// - Returns: The time that it took, in milliseconds; `nil` when it took longer.
    /// - Throws: ``Violation``.
    package func run(
        within limit: UInt64,
        every interval: UInt64 = 500,
        until condition: () throws -> Bool
    ) throws -> UInt64? {
        let start = now
        while true {
            if try condition() { return now - start }
            guard now < start + limit else { return nil }
            try run(until: min(now + interval, start + limit))
        }
    }

    /// Ends the history: the judge makes its last checks, and the time of processes that still run is added.
    /// - Throws: ``Violation``.
    package func finish() throws {
        for node in nodes where node.isRunning { statistics.nodeMilliseconds += now - node.startedAt }
        do {
            try judge.final(in: self)
        } catch var violation as Violation {
            if violation.time == 0 { violation.time = now }
            throw violation
        }
    }

    private func step() throws {
        guard let event = queue.removeFirst() else { return }
        statistics.events += 1
        do {
            let touched = try handle(event)
            try judge.checkAfterEvent(in: self, node: touched)
        } catch let loss as PowerLoss {
            try nodes[loss.node].crash()
            try judge.checkAfterEvent(in: self, node: nodes[loss.node])
        } catch var violation as Violation {
            if violation.time == 0 { violation.time = now }
            throw violation
        }
    }

    /// Handles an event.
    /// - Returns: The node concerned, if there is one.
    private func handle(_ event: SimulationEvent) throws -> SimulatedNode? {
        switch event {
        case .bytes(let connection, let side, let bytes):
            return try network.arrived(.bytes(bytes), on: connection, side: side)
        case .ended(let connection, let side):
            return try network.arrived(.end, on: connection, side: side)
        case .wake(let node, let life):
            guard node.life == life, let process = node.process else { return nil }
            try process.woken()
            return node
        case .node(let node, let life, let body):
            guard node.life == life else { return nil }
            try body(node)
            try node.process?.settle()
            return node
        case .world(let body):
            try body()
            return nil
        }
    }

    // MARK: Notes

    /// Notes a fault that was injected.
    package func note(_ fault: FaultKind, node: Int = -1, _ text: @autoclosure () -> String = "") {
        statistics.faults[fault, default: 0] += 1
        trace.note(.fault, at: now, node: node, 0, "\(fault.rawValue) \(text())")
    }
}
