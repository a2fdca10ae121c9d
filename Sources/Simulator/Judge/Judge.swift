import Records
package import Sync
package import Wire

/// Watches a simulated history from outside and says which law it breaks.
///
/// It sees every step of every store, every answer to an application and everything that happens to a disk. Its
/// conclusions rest on the writes that it saw, not on the reports of the nodes.
package final class Judge {
    /// Everything that was ever written.
    package internal(set) var library = OperationLibrary()
    /// The requests of applications, and the promises made to them.
    package internal(set) var ledger = WriteLedger()
    /// Members that break the protocol on purpose: their operations are taken in as they are found.
    package var byzantine: Set<DeviceID> = []
    /// Devices that write records that the schema of a zone forbids, and are honest otherwise.
    package var schemaBreakers: Set<DeviceID> = []
    /// Hashes of bodies and gaps that every receiver must refuse.
    package var forbidden: Set<Hash> = []
    /// Devices whose disk was rolled back, lost, or copied: their peers' knowledge of them may no longer be true.
    package internal(set) var setBack: Set<DeviceID> = []
    /// Whether devices legitimately live twice: forks of their logs are caused by the scenario.
    package var toleratesForks = false
    /// For each device the furthest point that the wall clock of a machine with that device ever showed.
    var furthestWall: [DeviceID: UInt64] = [:]
    /// Finds the durable store of a device; nil when its disk is gone.
    package var durableStore: (DeviceID) -> MemoryStore? = { _ in nil }
    /// The store of each node as it was last seen.
    var lastStores: [Int: MemoryStore] = [:]
    /// The readers of the nodes' feeds.
    var followers: [FeedFollower.Key: FeedFollower] = [:]
    /// Values of refused writes, which no store may ever hold.
    var refused: Set<String> = []
    /// For each node the values of writes that its process reported as failed.
    var failed: [Int: Set<String>] = [:]
    /// The fields that a record showed, and that a write without an answer so far does not keep.
    var dropped: [OperationLibrary.Place: Set<String>] = [:]
    /// The right that each actor writes under.
    var rightOf: [ActorID: Hash] = [:]
    /// Resolved control logs, by the inputs on which they depend.
    var models: [RightsStamp: RightsModel] = [:]
    /// The number of operations of a control log that are effective.
    package var controlBound = ControlBound()
    /// Verified capabilities by their hash; `nil` for one that is not valid.
    var tokens: [Hash: Capability?] = [:]
    /// The recipients of each key, by the inputs on which they depend.
    var keyHolders: [RightsStamp: KeyHolders] = [:]
    /// The time since which all nodes agree on the readers, so that all readers get the keys of new writes.
    var calmSince: UInt64?
    /// The epochs under which something was written since then.
    var lateEpochs: Set<Hash> = []
    /// Each node's knowledge of the accounts at its last commit.
    var lastAccounts: [Int: ReadingAccounts] = [:]
    /// The store of each node before its last commit and between the jobs of that commit, with the time of the
    /// commit.
    var recent: [Int: (time: UInt64, stores: [MemoryStore])] = [:]
    /// The time of the last check of each node's sessions for accounts that share nothing.
    var leavingChecked: [Int: UInt64] = [:]
    /// The rights in the zones of each node, as they were determined last.
    var nodeRights = NodeRights()
    /// The time since which each session has been with an account that shares nothing with its node.
    var unsharedSince: [UnsharedSession: UInt64] = [:]
    /// The end, by its node's wall clock, of the time in which each session's account shares something, as last
    /// known.
    var sharedUntil: [UnsharedSession: UInt64] = [:]
    /// The time at which each node's wall clock was last set.
    var clockTurned: [Int: UInt64] = [:]
    /// Nodes whose disk was rolled back, lost or copied.
    var disturbed: Set<Int> = []
    /// The device behind each actor that ever wrote.
    var devices: [ActorID: DeviceID] = [:]
    /// The secrets that no outsider may see.
    var canaries = CanaryFinder()
    /// The number of nodes, and the zones and epochs, whose secrets are in `canaries`.
    var knownNodeCount = 0
    var knownZones: Set<ZoneID> = []
    var knownEpochs: Set<Hash> = []
    /// The number of pieces sent so far.
    var frameCount: UInt64 = 0
    /// The rights that have ended, with the lengths of their logs at that time.
    package internal(set) var endings: [EndedRight] = []
    /// The keys that people gave to joining machines.
    var joinings = JoiningLedger()
    /// The times of the last sessions of each node with a device.
    var meetings: [Meeting: MeetingTimes] = [:]
    /// The time at which each epoch was begun, in simulated milliseconds.
    var epochTimes: [Hash: UInt64] = [:]
    /// The number of checks made.
    package internal(set) var checkCount: UInt64 = 0

    /// Creates a judge that has seen nothing.
    package init() {}

    /// Notes that a disk was rolled back, lost or copied.
    /// - Parameter device: The device on that disk.
    package func diskWasSetBack(of device: DeviceID) {
        setBack.insert(device)
    }
}
