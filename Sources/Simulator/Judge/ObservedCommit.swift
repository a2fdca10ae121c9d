package import Identity
package import Sync
package import Wire

/// One step of a store, as the judge is shown it: one job's savepoint or one whole transaction.
package struct ObservedCommit {
    /// Which node.
    package var node: Int
    /// Its device.
    package var device: DeviceID
    /// What its account log says; nil while the process only begins.
    package var account: AccountState?
    /// What the logs of all accounts say that the node knows; empty where all devices belong to one.
    package var accounts = KnownAccounts()
    /// Whether bodies are sealed.
    package var isSealed = false
    /// Whether the node is a relay of its account, and what it keeps is sealed.
    package var isBlind = false
    /// For how long its process has run, in milliseconds.
    package var uptime: UInt64 = 0
    /// When, in simulated milliseconds.
    package var time: UInt64
    /// What the node's wall clock shows, in milliseconds since 1970.
    package var wall: UInt64
    /// The store before and behind each job of the transaction that changed who may do what.
    package var between: [MemoryStore] = []
    /// The store as it was.
    package var before: MemoryStore
    /// The store as it is.
    package var after: MemoryStore

    /// A step.
    /// - Parameters: as the properties of the same names.
    package init(
        node: Int,
        device: DeviceID,
        account: AccountState?,
        time: UInt64,
        wall: UInt64,
        before: MemoryStore,
        after: MemoryStore
    ) {
        self.node = node
        self.device = device
        self.account = account
        self.time = time
        self.wall = wall
        self.before = before
        self.after = after
    }

    func violation(_ invariant: Invariant, _ text: String) -> Violation {
        Violation(invariant, time: time, node: node, text)
    }
}
