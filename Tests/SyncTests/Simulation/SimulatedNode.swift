import Identity
import Records
import Sodium
import Sync
import TestSupport
import Wire

/// A node of a simulation: the production cores and a store in memory, with the least that is needed between them.
///
/// Only the store and the account survive `restart`.
final class SimulatedNode {
    /// A session's channel.
    struct Link {
        let connection: SimulatedConnection
        let peer: Int
        var isClosing = false
    }

    let index: Int
    let author: Author
    private let key: SigningKey
    unowned let simulation: Simulation

    var store = MemoryReplica()
    var account: SimulatedAccount

    /// Counts processes; callbacks of an earlier one are dropped.
    var life = 0
    var boot: [UInt8] = []
    var core: SyncCore
    var directory: PeerDirectory<Int>
    var arbiter: SessionArbiter
    var links: [SessionID: Link] = [:]
    var random: SeededGenerator
    /// The time at which the last waiting transaction is done.
    var commitDone: UInt64 = 0
    var armed: UInt64?
    /// The number of times that this node was woken by its own timer.
    var tickCount = 0
    var reports: [SyncReport] = []
    /// The outcomes with which the store refuses the next runs.
    var refusals: [RunOutcome] = []
    var foundBehind = false
    var acknowledged: [DeviceID: [LogKey: UInt64]] = [:]

    init(index: Int, account: SimulatedAccount, simulation: Simulation, seed: UInt64) throws {
        self.index = index
        self.account = account
        self.simulation = simulation
        random = SeededGenerator(seed: seed)
        author = try Self.author(index)
        key = try Self.key(index)
        core = SyncCore(localDevice: author.device, incarnation: author.incarnation, account: SimulatedZone.owner)
        directory = PeerDirectory(localDevice: author.device)
        arbiter = SessionArbiter(localDevice: author.device)
    }

    static func key(_ index: Int) throws -> SigningKey {
        try SigningKey(seed: [UInt8](repeating: UInt8(index + 1), count: SigningKey.seedByteCount))
    }

    static func author(_ index: Int) throws -> Author {
        let device = DeviceID(try key(index).publicKey)
        guard let incarnation = Incarnation([UInt8](repeating: 1, count: 16)) else {
            throw SimulationError.impossible("an incarnation has 16 bytes")
        }
        return Author(
            device: device,
            incarnation: incarnation,
            right: .zero,
            actor: ActorID(device: device, incarnation: incarnation, right: .zero)
        )
    }

    /// Begins a process: the cores start afresh, with the knowledge in the store.
    func start() throws {
        life += 1
        boot = random.bytes(16)
        core = SyncCore(
            localDevice: author.device,
            incarnation: author.incarnation,
            account: SimulatedZone.owner,
            limits: simulation.limits
        )
        directory = PeerDirectory(localDevice: author.device)
        arbiter = SessionArbiter(localDevice: author.device)
        links = [:]
        armed = nil
        commitDone = simulation.now
        for peer in simulation.addresses(knownTo: index) { directory.addStatic(peer) }
        try feed(.accountChanged(heads: account.heads, standings: standings))
        for zone in try store.zones() { try feed(.zoneChanged(try snapshot(zone), before: [:])) }
        try settle()
    }

    /// Its data log in a zone.
    func log(_ zone: Int) -> LogKey {
        LogKey(zone: SimulatedZone.id(zone), actor: author.actor, lane: .data)
    }

    /// The standing in the account of every device of the simulation.
    var standings: [DeviceID: Standing] {
        Dictionary(
            uniqueKeysWithValues: simulation.nodes.compactMap { node in
                let standing = account.standing(of: node.index)
                return standing == .unknown ? nil : (node.author.device, standing)
            }
        )
    }

    // MARK: The core

    func feed(_ input: SyncInput) throws {
        var effects: [SyncEffect] = []
        handle(input, into: &effects)
        try perform(effects)
    }

    /// Performs effects and those that they lead to.
    func perform(_ effects: [SyncEffect]) throws {
        var effects = effects
        var done = 0
        while done < effects.count {
            let effect = effects[done]
            try perform(effect, more: &effects)
            done += 1
            guard done < 100_000 else { throw SimulationError.impossible("effects without end") }
        }
    }

    func handle(_ input: SyncInput, into effects: inout [SyncEffect]) {
        core.handle(input, at: simulation.now, wall: simulation.now, random: &random, into: &effects)
        simulation.check(core.nextDeadline.map { $0 > simulation.now } ?? true, "the next deadline is to come")
    }

    /// Dials the peers that are due, and sets the timer.
    func settle() throws {
        for (dial, address, _) in directory.due(at: simulation.now, nextDial: { simulation.makeNumber() }) {
            simulation.dial(from: index, to: address, dial: dial)
        }
        let wanted = [core.nextDeadline, directory.nextDue].compactMap { $0 }.min()
        guard let wanted, armed.map({ wanted < $0 }) ?? true else { return }
        let deadline = max(wanted, simulation.now + 5)
        armed = deadline
        simulation.schedule(at: deadline, for: self) { node in
            // A timer that an earlier one has overtaken arms nothing, else there would be more and more of them.
            if node.armed == deadline { node.armed = nil }
            node.tickCount += 1
            try node.feed(.tick)
        }
    }

    // MARK: Channels

    func opened(_ connection: SimulatedConnection, heads: [Hash], boot: [UInt8], dial: UInt64?) throws {
        let peer = connection.other(than: index)
        let device = simulation.nodes[peer].author.device
        directory.connected(dial: dial, device: device)
        let entry = SessionArbiter.Entry(
            connection: connection.id,
            boot: boot,
            isInitiator: dial != nil,
            openedAt: simulation.now
        )
        switch arbiter.opened(entry, device: device) {
        case .refuse:
            simulation.close(connection, by: index)
            return
        case .replace(let older):
            if let link = links[older] {
                links[older]?.isClosing = true
                simulation.close(link.connection, by: index)
            }
            try feed(.closed(older))
        case .keep:
            break
        }
        links[connection.id] = Link(connection: connection, peer: peer)
        let opening = SessionOpening(
            session: connection.id,
            device: device,
            account: SimulatedZone.owner,
            standing: account.standing(of: peer),
            accountHeads: heads,
            binding: connection.binding,
            isInitiator: dial != nil
        )
        try feed(.opened(opening))
    }

    func closed(_ id: UInt64) throws {
        guard let link = links.removeValue(forKey: id) else { return }
        try feed(.closed(id))
        let device = simulation.nodes[link.peer].author.device
        if arbiter.closed(id, device: device) {
            directory.disconnected(device: device, at: simulation.now, random: &random)
        }
    }

    func received(_ bytes: [UInt8], on id: UInt64) throws {
        guard let link = links[id], !link.isClosing else { return }
        let message = try PeerMessage(decoding: bytes)
        try feed(.received(id, message, byteCount: bytes.count))
    }

    /// Signs the bytes of a tree head.
    func sign(_ bytes: [UInt8]) -> Signature64 {
        Signature64(key.signature(over: bytes, context: .treeHead))
    }
}

/// The reason why a simulation cannot go on.
enum SimulationError: Error {
    /// The simulator itself is wrong, or a core did something forbidden.
    case impossible(String)
}
