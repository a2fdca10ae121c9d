import Records
import Sync
import TestSupport
import Wire

/// Some nodes, a network between them and a clock, all of them deterministic: one seed, one history.
final class Simulation {
    /// The traffic since the counts were last cleared.
    struct Traffic {
        var messages: [UInt8: Int] = [:]
        var runByteCount = 0
        /// The number of applied runs that held nothing new.
        var repeatedRuns = 0
        /// The number of operations that came in with runs.
        var importedOperations: UInt64 = 0
        var misplacedRuns = 0
        var violations: [String] = []

        /// Messages that are neither pings nor their answers.
        var withoutPings: Int { messages.filter { $0.key != 8 && $0.key != 9 }.values.reduce(0, +) }
    }

    let limits: SyncLimits
    private(set) var nodes: [SimulatedNode] = []
    private(set) var now: UInt64 = 1_000
    private(set) var connections: [UInt64: SimulatedConnection] = [:]
    var random: SeededGenerator
    var traffic = Traffic()
    /// The part of the network that each node is in.
    var parts: [Int]
    /// The ends of removed devices' logs, for nodes that know of the removal.
    var cuts: [Int: [ZoneID: [ActorLane: LogCut]]] = [:]
    /// The capacity of every link; `nil` = any amount at once.
    var bytesPerMillisecond: Int?
    /// The acts of a core that are never allowed.
    private(set) var breaches: Set<String> = []
    private var queue = EventQueue()
    private var number: UInt64 = 0

    /// Starts nodes, each of which knows the address of every other; `known` lists for each node those that its
    /// account log contains (all by default).
    init(nodeCount: Int, seed: UInt64, limits: SyncLimits = SyncLimits(), known: [[Int]]? = nil) throws {
        random = SeededGenerator(seed: seed)
        self.limits = limits
        parts = [Int](repeating: 0, count: nodeCount)
        for index in 0..<nodeCount {
            let account = SimulatedAccount(nodes: known?[index] ?? Array(0..<nodeCount))
            nodes.append(try SimulatedNode(index: index, account: account, simulation: self, seed: random.next()))
        }
    }

    func addresses(knownTo index: Int) -> [Int] { nodes.map(\.index) }

    func makeNumber() -> UInt64 {
        number += 1
        return number
    }

    // MARK: Time

    /// Runs a body for a node at a time, unless its process has ended by then.
    func schedule(at time: UInt64, for node: SimulatedNode, _ body: @escaping (SimulatedNode) throws -> Void) {
        let life = node.life
        queue.insert(at: max(time, now)) {
            guard node.life == life else { return }
            try body(node)
            try node.settle()
        }
    }

    func schedule(after delay: UInt64, for node: SimulatedNode, _ body: @escaping (SimulatedNode) throws -> Void) {
        schedule(at: now + delay, for: node, body)
    }

    /// Runs a body at a time, independently of all nodes.
    func schedule(at time: UInt64, _ body: @escaping () throws -> Void) {
        queue.insert(at: max(time, now), body)
    }

    /// Lets time pass.
    func run(until end: UInt64) throws {
        while let time = queue.nextTime, time <= end {
            now = time
            try queue.removeFirst()()
        }
        now = end
    }

    /// Lets time pass until all nodes agree.
    /// - Returns: The time that it took, in milliseconds; `nil` when it took longer than allowed.
    func runUntilConverged(within milliseconds: UInt64, step: UInt64 = 500) throws -> UInt64? {
        let start = now
        while true {
            if try hasConverged() { return now - start }
            guard now < start + milliseconds else { return nil }
            try run(until: now + step)
        }
    }

    /// Whether all nodes (that are still in the account) hold the same zones with the same digests.
    func hasConverged() throws -> Bool {
        let members = nodes.filter { node in !nodes.contains { $0.account.standing(of: node.index) == .removed } }
        var first: [ZoneID: Hash]?
        for node in members {
            var digests: [ZoneID: Hash] = [:]
            for zone in try node.store.zones() {
                digests[zone.id] = try ZonePositions(of: zone.id).digest(in: node.store)
            }
            if let first, first != digests { return false }
            first = digests
        }
        return true
    }

    // MARK: The network

    func dial(from: Int, to: Int, dial: UInt64) {
        let dialler = nodes[from]
        if from == to {
            dialler.directory.connected(dial: dial, device: dialler.author.device)
            return
        }
        schedule(after: 1 + latency, for: dialler) { [self] node in
            guard parts[from] == parts[to], nodes[to].life > 0 else {
                schedule(after: UInt64.random(in: 10...3_000, using: &random), for: node) { node in
                    node.directory.dialFailed(dial, at: self.now, random: &node.random)
                }
                return
            }
            try connect(node, nodes[to], dial: dial)
        }
    }

    private func connect(_ dialler: SimulatedNode, _ other: SimulatedNode, dial: UInt64) throws {
        let connection = SimulatedConnection(
            id: makeNumber(),
            nodes: [dialler.index, other.index],
            lives: [dialler.life, other.life],
            binding: random.bytes(32)
        )
        connections[connection.id] = connection
        let heads = dialler.account.heads
        let boot = dialler.boot
        connection.lastArrival[0] = now + 1 + latency
        schedule(at: connection.lastArrival[0], for: other) { node in
            guard !connection.isCut else { return }
            try node.opened(connection, heads: heads, boot: boot, dial: nil)
        }
        try dialler.opened(connection, heads: other.account.heads, boot: other.boot, dial: dial)
    }

    func send(_ message: PeerMessage, from: Int, over connection: SimulatedConnection) throws {
        let bytes = message.encoded
        traffic.messages[message.tag, default: 0] += 1
        if case .run = message { traffic.runByteCount += bytes.count }
        guard !connection.isCut else { return }
        let side = connection.side(of: from)
        let busy = bytesPerMillisecond.map { UInt64(bytes.count / $0) } ?? 0
        let arrival = max(connection.lastArrival[side], now) + busy
        connection.lastArrival[side] = max(arrival, now + latency)
        schedule(at: connection.lastArrival[side], for: nodes[connection.other(than: from)]) { node in
            guard !connection.isCut else { return }
            try node.received(bytes, on: connection.id)
        }
    }

    /// Closes one side: the messages that it sent before still arrive.
    func close(_ connection: SimulatedConnection, by index: Int) {
        schedule(after: 1, for: nodes[index]) { node in try node.closed(connection.id) }
        guard !connection.isCut else { return }
        let side = connection.side(of: index)
        let arrival = max(connection.lastArrival[side], now + latency)
        schedule(at: arrival, for: nodes[connection.other(than: index)]) { [self] node in
            guard !connection.isCut else { return }
            connection.isCut = true
            connections[connection.id] = nil
            try node.closed(connection.id)
        }
    }

    /// The channel dies; `noticed` tells for each side whether it is notified, or finds out by silence.
    func cut(_ connection: SimulatedConnection, noticed: [Bool]) {
        connection.isCut = true
        connections[connection.id] = nil
        for (side, isNoticed) in noticed.enumerated() where isNoticed {
            schedule(after: latency, for: nodes[connection.nodes[side]]) { node in try node.closed(connection.id) }
        }
    }

    /// Ends a node's process and begins another; its store stays.
    func restart(_ node: SimulatedNode) throws {
        for connection in connections.values.sorted(by: { $0.id < $1.id }) where connection.nodes.contains(node.index) {
            cut(connection, noticed: [true, true])
        }
        try node.start()
    }

    /// Splits the network; channels between its parts die, mostly without notice.
    func divide(_ parts: [Int]) {
        self.parts = parts
        for connection in connections.values.sorted(by: { $0.id < $1.id })
        where parts[connection.nodes[0]] != parts[connection.nodes[1]] {
            cut(connection, noticed: [Int.random(in: 0..<4, using: &random) == 0, Bool.random(using: &random)])
        }
    }

    /// Returns the end of a removed device's log for a node that knows of the removal.
    func cut(of owner: Int, key: LogKey, asKnownTo node: SimulatedNode) -> LogCut? {
        guard node.account.standing(of: owner) == .removed else { return nil }
        return cuts[owner]?[key.zone]?[key.actorLane] ?? LogCut(size: 0, root: .zero)
    }

    /// Notes a breach of a law that holds after every input.
    func check(_ holds: Bool, _ law: String) {
        if !holds { breaches.insert(law) }
    }

    func countApplied(_ outcome: RunOutcome) {
        switch outcome {
        case .durable(_, operations: 0): traffic.repeatedRuns += 1
        case .durable(_, let operations): traffic.importedOperations += operations
        case .misplaced: traffic.misplacedRuns += 1
        case .violation(let reason): traffic.violations.append(reason)
        default: break
        }
    }

    private var latency: UInt64 { UInt64.random(in: 0...20, using: &random) }
}
