import Identity
import Records
import Sync
import Wire

/// Watches a simulated history from outside and says which law it breaks.
///
/// It sees every step of every store, every answer to an application and everything that happens to
/// a disk, and passes it on to the laws. Their conclusions rest on the writes that it saw, not on
/// the reports of the nodes.
package final class Judge: SimulationJudge {
    /// The facts that several laws use.
    let evidence: Evidence
    // Laws that keep facts of their own, by the numbers in the documentation of the simulator.
    /// Laws 3 and 6.
    var authorship: AuthorshipLaw
    /// Law 4, of feeds.
    private var feeds: FeedLaw
    /// Law 7.
    var keys: KeyLaw
    /// Laws 8, 12, 23 and 31.
    var claims: ClaimLaw
    /// Law 9.
    private(set) var forgetting: ForgettingLaw
    /// Laws 14, 16, 17 and 18.
    private var exchange: ExchangeLaw
    /// Law 15.
    private var leaving: LeavingLaw
    /// Law 21.
    private var clocks = ClockLaw()
    /// Law 24.
    private var answers: AnswerLaw
    /// Law 26.
    private var secrecy = SecrecyLaw()
    /// Law 27.
    var endings: EndedRights
    /// Law 28.
    var joinings = JoiningLedger()
    /// Law 33.
    var statements: StatementLaw
    /// Law 34.
    var assets: AssetLaw
    /// Law 35.
    var evictions: EvictionLaw

    // Laws that keep no facts.
    /// Law 1.
    private let promises: PromiseLaw
    /// Law 4, of logs.
    private let causality: CausalityLaw
    /// Laws 10 and 20.
    private let stores: StoreLaw
    /// Law 13.
    private let rights: RightsLaw

    /// Creates a judge that has seen nothing.
    package override init() {
        let evidence = Evidence()
        self.evidence = evidence
        authorship = AuthorshipLaw(evidence)
        feeds = FeedLaw(evidence)
        keys = KeyLaw(evidence)
        claims = ClaimLaw(evidence)
        forgetting = ForgettingLaw(evidence)
        exchange = ExchangeLaw(evidence)
        leaving = LeavingLaw(evidence)
        answers = AnswerLaw(evidence)
        endings = EndedRights(evidence)
        statements = StatementLaw(evidence)
        assets = AssetLaw(evidence)
        evictions = EvictionLaw(evidence)
        promises = PromiseLaw(evidence: evidence)
        causality = CausalityLaw(evidence: evidence)
        stores = StoreLaw(evidence: evidence)
        rights = RightsLaw(evidence: evidence)
    }

    // MARK: Stores

    override func committed(
        _ transaction: DecidedTransaction,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        watch(simulation)
        try follow(node, to: transaction.before)
        let commit = ObservedCommit(transaction, on: node)
        try check(commit)
        forgetting.met(node.process?.sessionDevices ?? [], on: node)
        evidence.committed(commit)
        if simulation.hasSeveralAccounts { try exchange.committed(transaction, on: node) }
    }

    /// Takes in transactions that reached a disk unreported: one that nothing waited for may be found later.
    private func follow(_ node: SimulatedNode, to store: MemoryStore) throws {
        guard let last = evidence.lastStores[node.index],
            try last.followingCommitNumber() != store.followingCommitNumber()
        else { return }
        var found = DecidedTransaction(on: node, by: node.process, last)
        found.after = store
        try check(ObservedCommit(found, on: node))
        evidence.found(store, on: node.index)
    }

    override func settledCheckpoints(
        of zone: ZoneID,
        made: Checkpoint?,
        before: MemoryStore,
        after: MemoryStore,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        guard let fault = try forgetting.fault(of: zone, made: made, before: before, after: after) else { return }
        throw Violation(.forgetting, at: node, fault)
    }

    /// The reasons for which a store is the one that its process has left.
    private static let ends: Set = ["crash", "kill", "stop", "failed start"]

    override func storeReplaced(
        on node: SimulatedNode,
        by store: MemoryStore?,
        because reason: String,
        in simulation: Simulation
    ) throws {
        watch(simulation)
        if Self.ends.contains(reason) {
            try promises.checkAfterCrash(of: node, store)
            try LifetimeLaw.checkSentinel(of: node, store, evidence)
            if let store { try follow(node, to: store) }
            evictions.ended(node)
            return
        }
        let before = evidence.lastStores[node.index]
        evidence.found(store, on: node.index)
        evidence.disturbed(node)
        feeds.disturbed(node)
        evictions.disturbed(node)
        promises.disturbed(node, from: before, to: store, because: reason)
    }

    // MARK: Processes

    override func started(_ node: SimulatedNode, in simulation: Simulation) throws { watch(simulation) }

    override func ended(_ node: SimulatedNode, in simulation: Simulation) throws { answers.ended(node) }

    override func clockTurns(on node: SimulatedNode) {
        // It shows other times when the machine is on again, too.
        evictions.clockTurns()
        guard node.isRunning else { return }
        evidence.clockTurns(on: node)
        clocks.clockTurns(on: node)
        leaving.clockTurns(on: node)
    }

    override func checkAfterEvent(in simulation: Simulation, node: SimulatedNode?) throws {
        guard let process = node?.process else { return }
        try SessionLaw.check(process, time: simulation.now)
        try leaving.check(process, time: simulation.now)
    }

    override func final(in simulation: Simulation) throws {
        for node in simulation.nodes where node.isRunning {
            if let look = StoreLook(at: node) { try check(look) }
        }
    }

    private func watch(_ simulation: Simulation) {
        secrecy.learn(simulation)
        evidence.watch(simulation)
    }

    // MARK: Applications

    override func answered(_ submission: Submission, _ answer: Answer, in simulation: Simulation) throws {
        guard case .write(let request, _) = submission.body else { return }
        try answers.check(request, answer, node: submission.node, time: simulation.now)
        guard case .done(let commit?) = answer else { return }
        try promises.acknowledge(
            request,
            commit,
            node: submission.node,
            time: simulation.now,
            store: simulation.nodes[submission.node].disk.image().database
        )
    }

    override func feedRead(
        on node: SimulatedNode,
        view: FeedView,
        since token: String?,
        page: FeedPage,
        taken: Int,
        in simulation: Simulation
    ) throws {
        try feeds.read(page, of: view, since: token, taken: taken, from: node)
    }

    override func feedExpired(on node: SimulatedNode, view: FeedView, in simulation: Simulation) throws {
        try feeds.expired(view, on: node)
    }

    // MARK: Peers

    override func takes(
        _ run: Run,
        isDeposit: Bool,
        from device: DeviceID,
        of account: AccountID,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        try exchange.takes(run, isDeposit: isDeposit, from: device, of: account, on: node)
    }

    override func deposited(_ run: Run, on node: SimulatedNode, in simulation: Simulation) throws {
        try exchange.deposited(run, on: node)
    }

    override func mistrusts(_ device: DeviceID, on node: SimulatedNode, in simulation: Simulation) throws {
        try claims.mistrusts(device, on: node)
    }

    override func told(of anomaly: Anomaly, on node: SimulatedNode, in simulation: Simulation) throws {
        try claims.reported(anomaly, by: node)
    }

    override func promised(_ answer: CustodyAnswer, by node: SimulatedNode, in simulation: Simulation) throws {
        try claims.promised(answer, by: node)
    }

    override func states(
        _ answer: RetentionAnswer,
        to link: ProcessChannels.Link,
        by node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        try evictions.states(answer, to: link, by: node)
    }

    override func decides(_ drop: EvictionDrop, on node: SimulatedNode, in simulation: Simulation) throws {
        try evictions.decides(drop, on: node)
    }

    override func settled(
        _ order: UInt64,
        _ outcome: EvictionOutcome,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        evictions.settled(order, outcome, on: node)
    }

    override func told(
        _ message: PeerMessage,
        to device: DeviceID,
        of account: AccountID,
        by node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        try exchange.told(message, to: device, of: account, by: node)
    }

    override func admitted(_ link: JoiningLink, by node: SimulatedNode, in simulation: Simulation) throws {
        try joinings.admitted(link, by: node)
    }

    override func opened(
        with device: DeviceID,
        by key: Hash,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        try FleetKeyLaw.opened(with: device, by: key, on: node)
    }

    // MARK: Connections

    /// An incoming connection has entered a room.
    func entered(_ end: ChannelEnd, on node: SimulatedNode, in simulation: Simulation) throws {
        try DoorLaw.entered(end, on: node)
    }

    /// A second has passed since a device of the account connected.
    func awaited(_ end: ChannelEnd, on node: SimulatedNode, in simulation: Simulation) throws {
        try DoorLaw.awaited(end, on: node)
    }

    override func sent(_ bytes: [UInt8], on connection: Connection, side: Int, in simulation: Simulation) throws {
        try secrecy.sent(bytes, by: connection.nodes[side], in: simulation)
    }

    override func left(_ bytes: [UInt8], by node: SimulatedNode?, in simulation: Simulation) throws {
        evidence.checkCount += 1
        try secrecy.left(bytes, by: node, in: simulation)
    }

    // MARK: A step of a store

    /// Checks one step of a store: the operations that it added, and the consistency of the store
    /// after it.
    ///
    /// These are the cheap checks.
    /// - Parameter commit: The step.
    /// - Throws: ``Violation``.
    func check(_ commit: ObservedCommit) throws {
        evidence.checkCount += 1
        evidence.library.learn(commit.after.keyring)
        secrecy.learn(commit.after.keyring)
        try clocks.check(commit)
        try assets.check(commit) { evictions.isDecided($0, on: commit.node) }
        for payload in try evictions.check(commit) { assets.evicted(payload, commit) }
        try LifetimeLaw.checkContinued(commit, evidence)
        for zone in try commit.after.zones() {
            let old = try commit.before.zone(zone.id).map { try commit.before.reaches(zone: $0) } ?? [:]
            let new = try commit.after.reaches(zone: zone)
            evidence.library.learn(zone)
            secrecy.learn(zone)
            try claims.checkAcknowledgements(in: zone.id, commit)
            guard var step = ZoneStep(zone, old, new) else { continue }
            for change in step.changes { try takeIn(change, &step, commit) }
            step.touchAllIfRolesChanged(evidence.library)
            for change in step.changes where change.after.applied > change.before.applied {
                try causality.check(change, step, commit)
            }
            for value in try promises.enter(step.own, commit) { secrecy.learn(value: value) }
            try keys.checkSealed(step.own + step.said, commit)
            try answers.checkOwn(step.own, isAlone: step.isAlone(commit.device, evidence.library), commit)
            if step.touched.isEmpty { continue }
            let records = try ZoneRecords(of: zone, new, in: commit.after, evidence)
            for tag in step.touched.sorted() {
                if let fault = try records.fault(of: tag) { throw commit.violation(.referenceModel, fault) }
            }
        }
    }

    /// Takes in the operations that a step added to a log.
    private func takeIn(_ change: ZoneStep.Change, _ step: inout ZoneStep, _ commit: ObservedCommit) throws {
        let (key, before, after) = (change.key, change.before.size, change.after.size)
        if after < before {
            // Where a checkpoint covers the other branch, the operations behind the fork are removed.
            if change.after.isForked { return }
            // Where more operations are effective than before, the purged ones are fetched again, with those
            // behind them.
            if try commit.before.isPurged(key, at: after) { return }
            throw commit.violation(.storeIntegrity, "log \(key) shrank from \(before) to \(after)")
        }
        if before < after, let row = try commit.after.log(key) {
            evidence.library.learn(row)
            for item in try commit.after.items(key, from: before, to: after) {
                try takeIn(item, of: row, &step, commit)
            }
        }
        step.touch(change, evidence.library)
    }

    /// Compares an added leaf with the one that its author wrote.
    private func takeIn(_ item: StoredItem, of row: LogRow, _ step: inout ZoneStep, _ commit: ObservedCommit) throws {
        try authorship.checkAllowed(item, of: row, commit)
        let operation: Operation
        switch item.content {
        case .operation(let stored): operation = stored.operation
        case .gap(let gap): return try authorship.check(gap, of: row, commit)
        }
        let place = OperationLibrary.Place(key: row.key, counter: item.first + 1)
        try secrecy.checkBlind(operation, at: place, commit)
        if evidence.library.knows(operation, at: place) {
            if row.device == commit.device { try LifetimeLaw.checkReturned(place, commit) }
            return
        }
        let isSecond = try authorship.add(operation, at: place, by: row.device, &step, commit)
        if isSecond { try keys.checkNonces(at: place, commit) }
        let isHonest = !evidence.byzantine.contains(row.device)
        switch evidence.library.entries(at: place).last?.control {
        case .epoch: keys.begun(operation.header.leafHash, at: commit.time)
        case .raiseCut(let raise) where isHonest: endings.raised(raise.capability)
        case .checkpoint(let made) where isHonest: try forgetting.checkMade(made, zone: row.key.zone, commit)
        default: break
        }
    }

    // MARK: A store at rest

    /// Checks a whole store against itself, against the reference model and against the account
    /// log.
    ///
    /// These are the expensive checks.
    /// - Parameter look: The store.
    /// - Throws: ``Violation``.
    func check(_ look: StoreLook) throws {
        evidence.checkCount += 1
        try endings.check(look)
        for zone in try look.store.zones() {
            try stores.checkLives(in: zone, look)
            if !look.accounts.isEmpty { try rights.check(zone, look) }
            for row in try look.store.logs(zone: zone.id) {
                let items = try look.store.items(row.key, from: 0, to: row.size)
                try stores.checkLog(row, items, look)
                try forgetting.checkForgotten(zone: zone, row: row, items: items, look)
                if look.accounts.isEmpty { try rights.checkCut(row, look) }
            }
            try stores.checkRecords(of: zone, look)
        }
    }

    /// Checks at the end that a member can read everything that it is entitled to, and that every
    /// promise to an application is kept.
    /// - Parameter look: A store that has converged.
    /// - Throws: ``Violation``.
    func checkPromises(_ look: StoreLook) throws {
        try keys.checkReadable(look)
        try promises.check(look)
    }
}
