import Sync
import Wire

/// The facts of a history that several laws use.
///
/// They are the operations with their authors, the promises made to applications, the rights, the
/// stores of the nodes as they were last seen, and the events that excuse a node or a device.
final class Evidence {
    /// Everything that was ever written.
    var library = OperationLibrary()
    /// The requests of applications, and the promises made to them.
    var ledger = WriteLedger()
    /// The rights in zones.
    let rights = ResolvedRights()
    /// Members that break the protocol on purpose: their operations are taken in as they are found.
    var byzantine: Set<DeviceID> = []
    /// Devices whose disk was rolled back, lost, or copied: their peers' knowledge of them may no longer be true.
    private(set) var disturbedDevices: Set<DeviceID> = []
    /// The nodes whose disk was rolled back, lost or copied.
    private(set) var disturbedNodes: Set<Int> = []
    /// The time at which each node's wall clock was last set.
    private(set) var clockTurned: [Int: UInt64] = [:]
    /// The store of each node as it was last seen.
    private(set) var lastStores: [Int: MemoryStore] = [:]
    /// Each node's knowledge of the accounts at its last commit.
    private(set) var lastAccounts: [Int: ReadingAccounts] = [:]
    /// The number of checks made.
    var checkCount: UInt64 = 0
    /// The world, once the judge has seen it.
    private unowned var simulation: Simulation?

    // MARK: Observations

    /// Takes note of the world.
    func watch(_ simulation: Simulation) { self.simulation = simulation }

    /// Takes note of a commit that was checked.
    func committed(_ commit: ObservedCommit) {
        lastAccounts[commit.node] = ReadingAccounts(commit)
        lastStores[commit.node] = commit.after
    }

    /// Takes note of a store that was found on a disk.
    func found(_ store: MemoryStore?, on node: Int) { lastStores[node] = store }

    /// Takes note that a disk was rolled back, lost or copied.
    func disturbed(_ node: SimulatedNode) {
        disturbedDevices.insert(node.device)
        disturbedNodes.insert(node.index)
    }

    /// Takes note that a machine's wall clock is about to be set.
    func clockTurns(on node: SimulatedNode) { clockTurned[node.index] = node.simulation.now }

    // MARK: Answers

    /// All machines; none before the judge has seen the world.
    var nodes: [SimulatedNode] { simulation?.nodes ?? [] }

    /// Whether the author of an actor's logs breaks the protocol on purpose.
    func isByzantine(_ actor: ActorID) -> Bool { library.author(of: actor).map(byzantine.contains) ?? false }

    /// The durable store of a device; `nil` when its disk is gone.
    func durableStore(of device: DeviceID) -> MemoryStore? {
        simulation?.node(of: device)?.disk.image().database
    }
}
