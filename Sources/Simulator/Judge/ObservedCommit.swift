package import Identity
package import Sync
package import Wire

/// One step of a store, as the judge sees it: one job's savepoint or one whole transaction.
package struct ObservedCommit {
    /// The node's index.
    package var node: Int
    /// Its device.
    package var device: DeviceID
    /// The state by its account log; `nil` while the process is still starting.
    package var account: AccountState?
    /// The states of all accounts that the node knows; empty where all devices belong to one.
    package var accounts = KnownAccounts()
    /// Whether bodies are sealed.
    package var isSealed = false
    /// Whether the node is a relay of its account that keeps only sealed operations.
    package var isBlind = false
    /// The time for which its process has run, in milliseconds.
    package var uptime: UInt64 = 0
    /// The time of the step, in simulated milliseconds.
    package var time: UInt64
    /// The reading of the node's wall clock, in milliseconds since 1970.
    package var wall: UInt64
    /// The store before and after each job of the transaction that changed rights.
    package var between: [MemoryStore] = []
    /// The store before the step.
    package var before: MemoryStore
    /// The store after the step.
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

    /// A transaction of a node in a simulation.
    init(_ transaction: DecidedTransaction, on node: SimulatedNode) {
        let simulation = node.simulation
        self.init(
            node: node.index,
            device: node.device,
            account: transaction.account,
            time: simulation.now,
            wall: transaction.wall,
            before: transaction.before,
            after: transaction.after
        )
        between = transaction.between
        accounts = transaction.accounts
        isSealed = simulation.options.isSealed
        isBlind = isSealed && simulation.relays.contains(node.index)
        uptime = node.isRunning ? simulation.now - node.startedAt : 0
    }

    func violation(_ invariant: Invariant, _ text: String) -> Violation {
        Violation(invariant, time: time, node: node, text)
    }
}
