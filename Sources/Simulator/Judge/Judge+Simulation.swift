import Identity
import Records
package import Sync
import Wire

// The reports of the simulation to the judge.
extension Judge: SimulationJudge {
    package func committed(
        _ transaction: DecidedTransaction,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        watch(simulation)
        try follow(node, to: transaction.before, in: simulation)
        let commit = commit(of: transaction, on: node, in: simulation)
        try check(commit)
        for device in node.process?.sessionDevices ?? [] {
            let meeting = Meeting(node: node.index, device: device)
            meetings[meeting, default: MeetingTimes(simulation.now)].note(simulation.now)
        }
        lastAccounts[node.index] = ReadingAccounts(commit)
        lastStores[node.index] = transaction.after
        guard simulation.hasSeveralAccounts else { return }
        recent[node.index] = (simulation.now, [transaction.before] + transaction.between)
        let hasBookChanged = transaction.notices.contains { $0.zones.contains(where: \.snapshot.genesis.isInternal) }
        if hasBookChanged { try checkUses(node, transaction.after, time: simulation.now) }
    }

    private func commit(
        of transaction: DecidedTransaction,
        on node: SimulatedNode,
        in simulation: Simulation
    ) -> ObservedCommit {
        var commit = ObservedCommit(
            node: node.index,
            device: node.device,
            account: transaction.account,
            time: simulation.now,
            wall: transaction.wall,
            before: transaction.before,
            after: transaction.after
        )
        commit.between = transaction.between
        commit.accounts = transaction.accounts
        commit.isSealed = simulation.options.isSealed
        commit.isBlind = commit.isSealed && simulation.relays.contains(node.index)
        commit.uptime = node.isRunning ? simulation.now - node.startedAt : 0
        return commit
    }

    /// Takes in transactions that reached a disk unreported: one that nothing waited for may be found later.
    private func follow(_ node: SimulatedNode, to store: MemoryStore, in simulation: Simulation) throws {
        guard let last = lastStores[node.index], try number(last) != number(store) else { return }
        var found = DecidedTransaction(on: node, by: node.process, last)
        found.after = store
        try check(commit(of: found, on: node, in: simulation))
        lastStores[node.index] = store
    }

    private func number(_ store: MemoryStore) throws -> UInt64 {
        var copy = store
        return try copy.nextCommitNumber()
    }

    package func answered(_ submission: Submission, _ answer: Answer, in simulation: Simulation) throws {
        guard case .write(let request, _) = submission.body else { return }
        try checkAnswer(request, answer, node: submission.node, time: simulation.now)
        guard case .done(let commit?) = answer else { return }
        try acknowledge(
            request,
            commit,
            node: submission.node,
            time: simulation.now,
            store: simulation.nodes[submission.node].disk.image().database
        )
    }

    package func feedRead(
        on node: SimulatedNode,
        view: FeedView,
        since token: String?,
        page: FeedPage,
        taken: Int,
        in simulation: Simulation
    ) throws {
        checkCount += 1
        let key = FeedFollower.Key(node: node.index, view: view)
        let incarnation = try node.store?.incarnation()
        var follower = followers[key] ?? FeedFollower(view)
        // Where nothing shows that the disk was rolled back, its positions are given out twice: no program can notice
        // that.
        let isLost = follower.isExcused && follower.lifetime == incarnation
        if token == nil || isLost { follower = FeedFollower(view) }
        follower.lifetime = incarnation
        guard !isLost || token == nil else {
            followers[key] = nil
            return
        }
        guard token == follower.token?.text(of: view) else { return }
        if let fault = try follower.take(page, taken: taken, from: node) {
            throw Violation(.causality, time: simulation.now, node: node.index, "the feed is not exact: \(fault)")
        }
        followers[key] = follower
    }

    /// A node no longer knows a token that it gave out.
    /// - Throws: ``Violation`` when nothing happened to the store that would explain it.
    package func feedExpired(on node: SimulatedNode, view: FeedView, in simulation: Simulation) throws {
        let key = FeedFollower.Key(node: node.index, view: view)
        let follower = followers.removeValue(forKey: key)
        guard let follower, !disturbed.contains(node.index), try follower.lifetime == node.store?.incarnation() else {
            return
        }
        throw Violation(.causality, time: simulation.now, node: node.index, "a feed token expired without a reason")
    }

    package func ended(_ node: SimulatedNode, in simulation: Simulation) throws {
        // A failed write may have reached the disk nevertheless, and be found by the next process.
        failed[node.index] = nil
    }

    package func started(_ node: SimulatedNode, in simulation: Simulation) throws {
        watch(simulation)
    }

    package func storeReplaced(
        on node: SimulatedNode,
        by store: MemoryStore?,
        because reason: String,
        in simulation: Simulation
    ) throws {
        watch(simulation)
        if reason == "crash" || reason == "kill" {
            try checkAfterCrash(of: node.index, device: node.device, time: simulation.now, store: store)
            try checkSentinel(node, store: store, in: simulation)
            if let store { try follow(node, to: store, in: simulation) }
            return
        }
        let before = lastStores[node.index]
        lastStores[node.index] = store
        diskWasSetBack(of: node.device)
        disturbed.insert(node.index)
        for key in followers.keys where key.node == node.index { followers[key]?.isExcused = true }
        ledger.setBack(node.index) { self.holds(store, $0) }
        let stores = simulation.nodes.compactMap { $0.disk.image().database }
        ledger.excuse(because: "node \(node.index): \(reason)") { write in
            // Only writes that were on this disk are lost with it.
            !self.holds(before, write) || stores.contains { self.holds($0, write) }
        }
    }

    /// Notes the time before a clock is turned: a transaction reads it when it runs, and is reported when the disk
    /// has it.
    package func clockTurns(on node: SimulatedNode) {
        guard node.isRunning else { return }
        furthestWall[node.device] = max(furthestWall[node.device] ?? 0, node.wallMilliseconds)
        clockTurned[node.index] = node.simulation.now
        sharedUntil = sharedUntil.filter { $0.key.node != node.index }
    }

    package func checkAfterEvent(in simulation: Simulation, node: SimulatedNode?) throws {
        guard let node, let process = node.process else { return }
        try checkSessions(of: process, node: node.index, time: simulation.now)
        try checkLeaving(of: process, time: simulation.now)
    }

    package func final(in simulation: Simulation) throws {
        for node in simulation.nodes where node.isRunning {
            if let look = look(at: node, in: simulation) { try check(look) }
        }
    }

    /// The store of a node at rest.
    package func look(at node: SimulatedNode, in simulation: Simulation) -> StoreLook? {
        guard let store = node.store else { return nil }
        var look = StoreLook(
            node: node.index,
            device: node.device,
            time: simulation.now,
            store: store,
            account: node.process?.log.state
        )
        look.off = Set(simulation.nodes.filter { !$0.isRunning }.map(\.index))
        if simulation.hasSeveralAccounts { look.accounts = node.process?.accounts ?? KnownAccounts() }
        if let process = node.process {
            look.controlState = { try ZoneViews(process.committer()).controlState($0, in: store) }
        }
        return look
    }

    /// Whether a store holds the very operation that the ledger means, and not another one at its place.
    func holds(_ store: MemoryStore?, _ write: WriteLedger.Write) -> Bool {
        guard let store, holds(store, write.place) else { return false }
        let entries = library.entries(at: write.place)
        // A pruned operation was held; a store in memory throws nothing.
        guard entries.count > 1, let held = try? store.operation(at: write.place) else { return true }
        return entries[write.entry].operation.header == held.header
    }

    /// Whether a store holds an operation at a place.
    func holds(_ store: MemoryStore?, _ place: OperationLibrary.Place) -> Bool {
        // A store in memory throws nothing here; if it did, it would hold nothing.
        guard let row = try? store?.log(place.key) else { return false }
        return row.size >= place.counter
    }

    private func watch(_ simulation: Simulation) {
        learnSecrets(of: simulation)
        durableStore = { [unowned simulation] device in simulation.node(of: device)?.disk.image().database }
    }

    /// Checks that the sentinel, which is written after the commit it records, never knows more than the store.
    private func checkSentinel(_ node: SimulatedNode, store: MemoryStore?, in simulation: Simulation) throws {
        let state = IncarnationDecision.SentinelState(bytes: node.disk.contents(of: .sentinel))
        guard var store, case .present(let sentinel) = state, !disturbed.contains(node.index),
            sentinel.incarnation == (try store.incarnation())
        else { return }
        let number = try store.nextCommitNumber() - 1
        guard sentinel.commitNumber > number else { return }
        throw Violation(
            .lifetime,
            time: simulation.now,
            node: node.index,
            "the sentinel has commit \(sentinel.commitNumber), the store only \(number)"
        )
    }
}
