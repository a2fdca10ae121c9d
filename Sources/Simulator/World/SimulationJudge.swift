package import Identity
package import Records
package import Sync
package import Wire

/// A request of an application to a node.
package struct Submission: Sendable {
    /// The content of a request.
    package enum Body: Sendable {
        /// Writes in a zone.
        case write(WriteRequest, zone: ZoneID)
        /// A new zone.
        case createZone(ZoneGenesis)
        /// The end of a zone.
        case deleteZone(ZoneID)
    }

    /// Its number, ascending over the whole simulation.
    package let number: UInt64
    /// The node that received the request.
    package let node: Int
    /// The life of the node's process that received it.
    package let life: Int
    /// The time of the request, in simulated milliseconds.
    package let time: UInt64
    /// The content of the request.
    package let body: Body
}

/// The answer to a submission; without an answer its outcome is open.
package enum Answer {
    /// The request is durable; for writes with the result of each, since some may be refused.
    case done(Commit?)
    /// The node failed to do it; no part of it is durable.
    case failed(any Error)
}

/// A transaction of a node, with the node's knowledge while it ran.
///
/// The disk takes a while for a transaction, in which the account's log or the clock may change: that does not affect
/// it.
package struct DecidedTransaction {
    /// The state by the account's log; `nil` while the process is still starting.
    package var account: AccountState?
    /// The states by the logs of all known accounts.
    package var accounts = KnownAccounts()
    /// The node's wall clock, in milliseconds since 1970.
    package var wall: UInt64
    /// The store before it.
    package var before: MemoryStore
    /// The store after it.
    package var after: MemoryStore
    /// The stores before and after each of its jobs that changed rights.
    package var between: [MemoryStore] = []
    /// The notices of its successful jobs.
    package var notices: [CommitNotice] = []

    /// A transaction that has done nothing yet.
    /// - Parameters:
    ///   - node: The node.
    ///   - process: Its process; `nil` while that is still starting.
    ///   - store: The store.
    init(on node: SimulatedNode, by process: NodeProcess?, _ store: MemoryStore) {
        account = process?.log.state
        if node.simulation.hasSeveralAccounts { accounts = process?.accounts ?? KnownAccounts() }
        wall = node.wallMilliseconds
        (before, after) = (store, store)
    }
}

/// The observer of a simulation; it throws a ``Violation`` when a law is broken.
///
/// This one objects to nothing, ``Judge`` to everything that the documentation of the simulator lists.
package class SimulationJudge {
    /// Makes one.
    package init() {}

    /// A node has answered an application.
    func answered(_ submission: Submission, _ answer: Answer, in simulation: Simulation) throws {}

    /// A transaction of a node is durable and visible.
    func committed(_ transaction: DecidedTransaction, on node: SimulatedNode, in simulation: Simulation) throws {}

    /// A node has applied, in one transaction, the outcome that it had computed before for the checkpoints of a zone.
    func settledCheckpoints(
        of zone: ZoneID,
        made: Checkpoint?,
        before: MemoryStore,
        after: MemoryStore,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {}

    /// An application with a token has read a page of the change feed, and kept the first `taken` entries of it.
    func feedRead(
        on node: SimulatedNode,
        view: FeedView,
        since token: String?,
        page: FeedPage,
        taken: Int,
        in simulation: Simulation
    ) throws {}

    /// A node no longer knows a feed token that it gave out.
    func feedExpired(on node: SimulatedNode, view: FeedView, in simulation: Simulation) throws {}

    /// A process began; `committed` has already reported the changes of its start-up to the store.
    func started(_ node: SimulatedNode, in simulation: Simulation) throws {}

    /// A process ended; its unanswered submissions will never be answered.
    func ended(_ node: SimulatedNode, in simulation: Simulation) throws {}

    /// A store was replaced: rolled back by a crash, restored, lost (`nil`), or cloned.
    func storeReplaced(
        on node: SimulatedNode,
        by store: MemoryStore?,
        because: String,
        in simulation: Simulation
    ) throws {}

    /// A machine's wall clock is about to be set.
    func clockTurns(on node: SimulatedNode) {}

    /// A node is about to take a run from a device of another account.
    func takes(
        _ run: Run,
        isDeposit: Bool,
        from device: DeviceID,
        of account: AccountID,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {}

    /// A node has acknowledged a deposit: a run that a device wrote after the end of its right.
    func deposited(_ run: Run, on node: SimulatedNode, in simulation: Simulation) throws {}

    /// A node believes that a device answers with another payload than the requested one.
    func mistrusts(_ device: DeviceID, on node: SimulatedNode, in simulation: Simulation) throws {}

    /// A node reports a message or operation that no honest program sends.
    func told(of anomaly: Anomaly, on node: SimulatedNode, in simulation: Simulation) throws {}

    /// A relay reports the state of a payload that it was asked to keep.
    func promised(_ answer: CustodyAnswer, by node: SimulatedNode, in simulation: Simulation) throws {}

    /// A node states to a device which contents it holds, and has promised to keep.
    func states(
        _ answer: RetentionAnswer,
        to link: ProcessChannels.Link,
        by node: SimulatedNode,
        in simulation: Simulation
    ) throws {}

    /// A node is about to drop a content that other devices have promised to keep.
    func decides(_ drop: EvictionDrop, on node: SimulatedNode, in simulation: Simulation) throws {}

    /// A node has answered an application that asked for the eviction of a content.
    func settled(_ order: UInt64, _ outcome: EvictionOutcome, on node: SimulatedNode, in simulation: Simulation) throws
    {}

    /// A node sends a message to a device of another account.
    func told(
        _ message: PeerMessage,
        to device: DeviceID,
        of account: AccountID,
        by node: SimulatedNode,
        in simulation: Simulation
    ) throws {}

    /// A node has let a device into its account.
    func admitted(_ link: JoiningLink, by node: SimulatedNode, in simulation: Simulation) throws {}

    /// A channel with a device of the account uses the key that this account's devices used when the channel began.
    func opened(with device: DeviceID, by key: Hash, on node: SimulatedNode, in simulation: Simulation) throws {}

    /// Bytes are on their way from one side of a connection.
    func sent(_ bytes: [UInt8], on connection: Connection, side: Int, in simulation: Simulation) throws {}

    /// A node or another client leaves bytes with a relay of mailboxes.
    func left(_ bytes: [UInt8], by node: SimulatedNode?, in simulation: Simulation) throws {}

    /// An event was handled, and these nodes may have changed.
    func checkAfterEvent(in simulation: Simulation, node: SimulatedNode?) throws {}

    /// The history is over.
    func final(in simulation: Simulation) throws {}
}
