package import Identity
package import Records
package import Sync
package import Wire

/// Something that an application asked a node to do.
package struct Submission: Sendable {
    /// What was asked for.
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
    /// The node that was asked.
    package let node: Int
    /// Which of its processes.
    package let life: Int
    /// When.
    package let time: UInt64
    /// What.
    package let body: Body
}

/// How a submission was answered; without an answer its fate is open.
package enum Answer {
    /// It is durable. For writes there is what became of each, since some may be refused.
    case done(Commit?)
    /// The node failed to do it; nothing of it is durable.
    case failed(any Error)
}

/// A transaction of a node, and what the node knew while it ran.
///
/// The disk works on a transaction for a while, in which the account's log or the clock may change: that changes nothing in it.
package struct DecidedTransaction {
    /// The account's log; nil while the process only begins.
    package var account: AccountState?
    /// The logs of all accounts that are known.
    package var accounts = KnownAccounts()
    /// The node's wall clock, in milliseconds since 1970.
    package var wall: UInt64
    /// The store before it.
    package var before: MemoryStore
    /// The store behind it.
    package var after: MemoryStore
    /// The stores before and behind those of its jobs that changed who may do what.
    package var between: [MemoryStore] = []
    /// The notices of its jobs that did not fail.
    package var notices: [CommitNotice] = []

    /// A transaction that has done nothing yet.
    /// - Parameters:
    ///   - node: The node.
    ///   - process: Its process; nil while that only begins.
    ///   - store: The store.
    init(on node: SimulatedNode, by process: NodeProcess?, _ store: MemoryStore) {
        account = process?.log.state
        if node.simulation.hasSeveralAccounts { accounts = process?.accounts ?? KnownAccounts() }
        wall = node.wallMilliseconds
        (before, after) = (store, store)
    }
}

/// What a judge of a simulation is told; it throws a ``Violation`` when something is broken.
///
/// Every function but ``Judge`` 's own does nothing by default.
package protocol SimulationJudge: AnyObject {
    /// An application asked for something.
    func issued(_ submission: Submission, in simulation: Simulation) throws

    /// An application was answered.
    func answered(_ submission: Submission, _ answer: Answer, in simulation: Simulation) throws

    /// A transaction of a node is durable and visible.
    func committed(_ transaction: DecidedTransaction, on node: SimulatedNode, in simulation: Simulation) throws

    /// A node has done in one transaction what it had computed for the checkpoints of a zone before.
    func settledCheckpoints(
        of zone: ZoneID,
        made: Checkpoint?,
        before: MemoryStore,
        after: MemoryStore,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws

    /// An application that had kept a token read a page of the change feed, and kept the first `taken` entries of it.
    func feedRead(
        on node: SimulatedNode,
        view: FeedView,
        since token: String?,
        page: FeedPage,
        taken: Int,
        in simulation: Simulation
    ) throws

    /// A process began; what its start-up did to the store was told by `committed`.
    func started(_ node: SimulatedNode, in simulation: Simulation) throws

    /// A process ended; submissions of it that were not answered never will be.
    func ended(_ node: SimulatedNode, in simulation: Simulation) throws

    /// A store is another one than before: set back by a crash, restored, lost (`nil`), or cloned.
    func storeReplaced(
        on node: SimulatedNode,
        by store: MemoryStore?,
        because: String,
        in simulation: Simulation
    ) throws

    /// A machine's wall clock is about to be turned.
    func clockTurns(on node: SimulatedNode)

    /// A node is about to take a run from a device of another account.
    func takes(
        _ run: Run,
        isDeposit: Bool,
        from device: DeviceID,
        of account: AccountID,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws

    /// A node has answered for what a device handed over that wrote it when its right had ended.
    func deposited(_ run: Run, on node: SimulatedNode, in simulation: Simulation) throws

    /// A node takes a device for one that gives another payload than it is asked for.
    func mistrusts(_ device: DeviceID, on node: SimulatedNode, in simulation: Simulation) throws

    /// A node tells of something that no honest program sends.
    func told(of anomaly: Anomaly, on node: SimulatedNode, in simulation: Simulation) throws

    /// A relay says how it stands with a payload that it was asked to keep.
    func promised(_ answer: CustodyAnswer, by node: SimulatedNode, in simulation: Simulation) throws

    /// A node sends a message to a device of another account.
    func told(
        _ message: PeerMessage,
        to device: DeviceID,
        of account: AccountID,
        by node: SimulatedNode,
        in simulation: Simulation
    ) throws

    /// A node has let a device into its account.
    func admitted(_ link: JoiningLink, by node: SimulatedNode, in simulation: Simulation) throws

    /// A channel with a device of the account stands under the key by which this account's devices went when it began.
    func opened(with device: DeviceID, by key: Hash, on node: SimulatedNode, in simulation: Simulation) throws

    /// Bytes are on their way from one side of a connection.
    func sent(_ bytes: [UInt8], on connection: Connection, side: Int, in simulation: Simulation) throws

    /// A relay of mailboxes is given bytes.
    func left(_ bytes: [UInt8], by node: SimulatedNode?, in simulation: Simulation) throws

    /// An event was handled, and these nodes may have changed.
    func checkAfterEvent(in simulation: Simulation, node: SimulatedNode?) throws

    /// The history is over.
    func final(in simulation: Simulation) throws
}

extension SimulationJudge {
    package func opened(
        with device: DeviceID,
        by key: Hash,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {}
    package func admitted(_ link: JoiningLink, by node: SimulatedNode, in simulation: Simulation) throws {}
    package func issued(_ submission: Submission, in simulation: Simulation) throws {}
    package func answered(_ submission: Submission, _ answer: Answer, in simulation: Simulation) throws {}
    package func committed(
        _ transaction: DecidedTransaction,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {}
    package func settledCheckpoints(
        of zone: ZoneID,
        made: Checkpoint?,
        before: MemoryStore,
        after: MemoryStore,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {}
    package func feedRead(
        on node: SimulatedNode,
        view: FeedView,
        since token: String?,
        page: FeedPage,
        taken: Int,
        in simulation: Simulation
    ) throws {}
    package func started(_ node: SimulatedNode, in simulation: Simulation) throws {}
    package func ended(_ node: SimulatedNode, in simulation: Simulation) throws {}
    package func storeReplaced(
        on node: SimulatedNode,
        by store: MemoryStore?,
        because: String,
        in simulation: Simulation
    ) throws {}
    package func clockTurns(on node: SimulatedNode) {}
    package func takes(
        _ run: Run,
        isDeposit: Bool,
        from device: DeviceID,
        of account: AccountID,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {}
    package func deposited(_ run: Run, on node: SimulatedNode, in simulation: Simulation) throws {}
    package func mistrusts(_ device: DeviceID, on node: SimulatedNode, in simulation: Simulation) throws {}
    package func told(of anomaly: Anomaly, on node: SimulatedNode, in simulation: Simulation) throws {}
    package func told(
        _ message: PeerMessage,
        to device: DeviceID,
        of account: AccountID,
        by node: SimulatedNode,
        in simulation: Simulation
    ) throws {}
    package func promised(_ answer: CustodyAnswer, by node: SimulatedNode, in simulation: Simulation) throws {}
    package func sent(_ bytes: [UInt8], on connection: Connection, side: Int, in simulation: Simulation) throws {}
    package func left(_ bytes: [UInt8], by node: SimulatedNode?, in simulation: Simulation) throws {}
    package func checkAfterEvent(in simulation: Simulation, node: SimulatedNode?) throws {}
    package func final(in simulation: Simulation) throws {}
}

/// A judge to whom everything is right.
package final class LenientJudge: SimulationJudge {
    /// Makes one.
    package init() {}
}
