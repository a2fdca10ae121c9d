import Records
package import Sync
package import Wire

/// Watches a simulated history from outside and says which law it breaks.
///
/// It is shown every step of every store, every answer to an application and everything that is done to a disk. What it
/// concludes rests on what it saw being written, not on what the nodes say about it.
package final class Judge {
    /// Everything that was ever written.
    package internal(set) var library = OperationLibrary()
    /// What applications asked for and were promised.
    package internal(set) var ledger = WriteLedger()
    /// Members that break the protocol on purpose: what they write is taken in as it is found.
    package var byzantine: Set<DeviceID> = []
    /// Devices that write what the schema of a zone does not allow, and are honest else.
    package var schemaBreakers: Set<DeviceID> = []
    /// Hashes of bodies and gaps that every receiver has to refuse.
    package var forbidden: Set<Hash> = []
    /// Devices whose disk was set back, lost, or copied: what peers remember of them may no longer be true.
    package internal(set) var setBack: Set<DeviceID> = []
    /// Devices that legitimately live twice: what they write under one name is the scenario's own fault.
    package var toleratesForks = false
    /// For each device the furthest that the wall clock of a machine that carried it ever stood.
    var furthestWall: [DeviceID: UInt64] = [:]
    /// Finds the durable store of a device; nil when its disk is gone.
    package var durableStore: (DeviceID) -> MemoryStore? = { _ in nil }
    /// The store of each node as it was last seen.
    var lastStores: [Int: MemoryStore] = [:]
    /// The readers of the nodes' feeds.
    var followers: [FeedFollower.Key: FeedFollower] = [:]
    /// Values of writes that were refused: nobody may ever hold them.
    var refused: Set<String> = []
    /// For each node the values of writes of which its process said that they failed.
    var failed: [Int: Set<String>] = [:]
    /// The fields that a record showed, and that a write not yet answered does not carry on.
    var dropped: [OperationLibrary.Place: Set<String>] = [:]
    /// The right that each actor writes under.
    var rightOf: [ActorID: Hash] = [:]
    /// Resolved control logs, by what they hang on.
    var models: [RightsStamp: RightsModel] = [:]
    /// How many operations of a control log count.
    package var controlBound = ControlBound()
    /// Capabilities whose signatures were looked at; nil for one that is not valid.
    var tokens: [Hash: Capability?] = [:]
    /// Who was given which key, by what that hangs on.
    var keyHolders: [RightsStamp: KeyHolders] = [:]
    /// Since when everybody knows who may read what, so that all of them get the keys of what is written.
    var calmSince: UInt64?
    /// The epochs under which something was written since then.
    var lateEpochs: Set<Hash> = []
    /// What each node knew of the accounts when it committed last.
    var lastAccounts: [Int: ReadingAccounts] = [:]
    /// What the store of each node was before its last commit and between the jobs of that, and when that was.
    var recent: [Int: (time: UInt64, stores: [MemoryStore])] = [:]
    /// When the sessions of each node were last looked at for that.
    var leavingChecked: [Int: UInt64] = [:]
    /// Since when each session has been with an account that shares nothing with its node.
    var unsharedSince: [UnsharedSession: UInt64] = [:]
    /// Until when, by its node's wall clock, each session is with an account that shares something, as was known last.
    var sharedUntil: [UnsharedSession: UInt64] = [:]
    /// When each node's wall clock was set last.
    var clockTurned: [Int: UInt64] = [:]
    /// Nodes whose disk is not what it was.
    var disturbed: Set<Int> = []
    /// The device behind each actor that ever wrote.
    var devices: [ActorID: DeviceID] = [:]
    /// What nobody outside may see.
    var canaries = CanaryFinder()
    /// Of how many nodes, and of which zones and epochs, that is known.
    var knownNodeCount = 0
    var knownZones: Set<ZoneID> = []
    var knownEpochs: Set<Hash> = []
    /// How much was sent so far, in pieces.
    var frameCount: UInt64 = 0
    /// Whose rights have ended, and what they had written by then.
    package internal(set) var endings: [EndedRight] = []
    /// The keys that people gave to machines that were to join.
    var joinings = JoiningLedger()
    /// When each node had sessions with a device last.
    var meetings: [Meeting: MeetingTimes] = [:]
    /// When each epoch was begun, in simulated milliseconds.
    var epochTimes: [Hash: UInt64] = [:]
    /// How many checks were made.
    package internal(set) var checkCount: UInt64 = 0

    /// A judge who has seen nothing.
    package init() {}

    /// A disk was set back, lost or copied.
    /// - Parameter device: Whose.
    package func diskWasSetBack(of device: DeviceID) {
        setBack.insert(device)
    }
}
