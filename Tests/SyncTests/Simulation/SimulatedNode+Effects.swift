import Identity
import Records
import ReplicaBehaviour
import Sync
import Wire

// The driver's work in production: effects become transactions and messages, their outcome becomes input.
extension SimulatedNode {
    func perform(_ effect: SyncEffect, more: inout [SyncEffect]) throws {
        switch effect {
        case .send(let id, let message):
            guard let link = links[id], !link.isClosing else { return }
            try simulation.send(message, from: index, over: link.connection)
        case .read(.run(let id, let key, let from, let byteCount)):
            simulation.schedule(after: UInt64.random(in: 0...3, using: &random), for: self) { node in
                let run = try? RunServing(key).run(from: from, byteCount: UInt64(byteCount), in: node.store)
                try node.feed(.runRead(id, key, run, byteCount: run.map { PeerMessage.run($0).encoded.count } ?? 0))
            }
        case .read(.skeleton(let id, let key)):
            simulation.schedule(after: UInt64.random(in: 0...3, using: &random), for: self) { node in
                let run = try RunServing(key).skeleton(in: node.store)
                try node.feed(.runRead(id, key, run, byteCount: run.map { PeerMessage.run($0).encoded.count } ?? 0))
            }
        case .write(.apply(let id, let run, let key, _)):
            commit { node in try node.apply(run, key: key, session: id) }
        case .write(.learn(let id, let zone, let genesis)):
            commit { node in
                guard ZoneID(genesis) == zone, genesis.owner == SimulatedZone.owner else {
                    try node.feed(.zoneRefused(id, zone))
                    return
                }
                try node.create(genesis)
            }
        case .offerZone, .serveGuestWrite, .guestWriteSettled, .write(.join), .write(.serve), .read(.deposits):
            // There is one account.
            break
        case .takeRecoverySecret, .takeFleetSecret, .mailSettled, .settle:
            break
        case .insertAccountEntries(let id, _, let entries):
            guard let isNew = account.insert(entries) else {
                if let link = links[id] { simulation.close(link.connection, by: index) }
                return
            }
            if isNew { try accountChanged(into: &more) }
        case .readAccountEntries(let id, let owner, let heads):
            handle(.accountEntriesRead(id, owner, account.entries(notIn: heads)), into: &more)
        case .write(.acknowledge(let device, let sizes)):
            acknowledged[device, default: [:]].merge(sizes) { max($0, $1) }
        case .write(.renewIfBehind):
            foundBehind = true
        case .write(.record(let proof)):
            commit { node in try node.record(proof) }
        case .write(.noteEmptyLogs(let zone, let logs)):
            commit { node in try node.noteEmpty(logs, zone: zone) }
        case .close(let id, _, _):
            guard let link = links[id] else { return }
            links[id]?.isClosing = true
            simulation.close(link.connection, by: index)
        case .report(let report):
            reports.append(report)
        case .read(.liveSet), .read(.payload), .read(.wantedPayloads), .read(.custodyJobs), .write(.take),
            .write(.met), .write(.spoke), .write(.keepOutline), .write(.keepChunk), .write(.takeCustody),
            .write(.endCustody), .write(.noteCustody):
            // There are no checkpoints and no messages.
            break
        case .transfer, .probe:
            break
        }
    }

    /// Puts a transaction behind the waiting ones.
    private func commit(_ body: @escaping (SimulatedNode) throws -> Void) {
        commitDone = max(commitDone, simulation.now) + UInt64.random(in: 0...4, using: &random)
        simulation.schedule(at: commitDone, for: self, body)
    }

    // MARK: Transactions

    func snapshot(_ zone: ZoneRow) throws -> ZoneSnapshot {
        var logs: [LogKey: LogState] = [:]
        var forks: [LogKey: ForkProof] = [:]
        var isWaiting = false
        for (row, size, root) in try ZonePositions(of: zone.id).all(in: store) {
            forks[row.key] = row.forkProof
            isWaiting = isWaiting || row.appliedSize < size
            logs[row.key] = LogState(
                device: row.device,
                incarnation: row.incarnation,
                right: row.right,
                lane: row.key.lane,
                size: size,
                root: root
            )
        }
        return ZoneSnapshot(
            zone: zone.id,
            genesis: zone.genesis,
            logs: logs,
            checkpoint: .zero,
            forks: forks,
            isWaiting: isWaiting
        )
    }

    /// Runs a transaction on one zone, and notifies the core of the logs that grew.
    func tracking(_ zone: ZoneID, _ body: (inout MemoryReplica) throws -> Void) throws {
        let before = Dictionary(uniqueKeysWithValues: try store.logs(zone: zone).map { ($0.key, $0.size) })
        var transaction = store
        try body(&transaction)
        store = transaction
        guard let row = try store.zone(zone) else { return }
        let after = try snapshot(row)
        var grown: [LogKey: UInt64] = [:]
        for (key, log) in after.logs where log.size != before[key] ?? 0 { grown[key] = before[key] ?? 0 }
        try feed(.zoneChanged(after, before: grown))
    }

    /// Makes a zone known, as the driver does for one that a peer reported.
    func create(_ genesis: ZoneGenesis) throws {
        let zone = ZoneID(genesis)
        try tracking(zone) { transaction in
            _ = try transaction.createZone(zone, genesis: genesis, tagKey: SimulatedZone.tagKey)
        }
    }

    /// Founds a zone, as at the request of a local program.
    func found(_ genesis: ZoneGenesis) throws {
        let zone = ZoneID(genesis)
        guard try store.zone(zone) == nil else { return }
        try tracking(zone) { transaction in
            _ = try transaction.createZone(zone, genesis: genesis, tagKey: SimulatedZone.tagKey)
            _ = try LocalWrites(zone: zone, author: author, wallMilliseconds: simulation.now, sign: sign).commitControl(
                .genesis(genesis),
                in: &transaction
            )
        }
    }

    func write(_ writes: [RecordWrite], isAtomic: Bool, zone: ZoneID) throws {
        try tracking(zone) { transaction in
            _ = try LocalWrites(zone: zone, author: author, wallMilliseconds: simulation.now, sign: sign).commit(
                writes: writes,
                isAtomic: isAtomic,
                in: &transaction
            )
        }
    }

    private func apply(_ run: Run, key: LogKey, session: SessionID) throws {
        let head = run.signedHead.head
        if !refusals.isEmpty {
            try feed(.runApplied(session, key, refusals.removeFirst()))
            return
        }
        guard let owner = simulation.nodes.first(where: { $0.author.device == head.device }) else {
            throw SimulationError.impossible("a run of nobody")
        }
        guard account.standing(of: owner.index) != .unknown else {
            try feed(.runApplied(session, key, .violation("an unknown author")))
            return
        }
        var outcome = RunOutcome.misplaced
        do {
            try tracking(key.zone) { transaction in
                let receipt = try RunReceiver(
                    run,
                    actor: key.actor,
                    ruling: LogRuling(cut: simulation.cut(of: owner.index, key: key, asKnownTo: self)),
                    wallMilliseconds: simulation.now
                ).receive(in: &transaction)
                outcome = Self.outcome(receipt, head: head)
                if case .forked = receipt { try self.restate(key.zone, in: &transaction) }
            }
        } catch let error as ReplicaError {
            outcome = Self.outcome(error, head: head)
        }
        simulation.countApplied(outcome)
        try feed(.runApplied(session, key, outcome))
    }

    private static func outcome(_ receipt: Receipt, head: TreeHead) -> RunOutcome {
        switch receipt {
        case .stored(let applied): .durable(size: applied.size, operations: applied.storedCount)
        case .alreadyHeld(let size): .durable(size: size, operations: 0)
        case .beyondCut: .durable(size: head.size, operations: 0)
        case .beyondBudget: .controlLogFull(size: head.size)
        case .misplaced: .misplaced
        case .beyondFork(let proof): .forkKnown(proof, size: head.size)
        case .forked(let proof): .fork(proof)
        }
    }

    private static func outcome(_ error: ReplicaError, head: TreeHead) -> RunOutcome {
        switch error {
        case .pendingFull, .missingSuccessor, .missingCheckpoint, .unknownZone: .misplaced
        case .zoneClosed: .unwanted(size: head.size)
        case .invalidRun(_, .rootMismatch): .contradiction
        default: .violation("\(error)")
        }
    }

    private func restate(_ zone: ZoneID, in transaction: inout MemoryReplica) throws {
        guard try transaction.log(LogKey(zone: zone, actor: author.actor, lane: .data))?.isForked != true else {
            return
        }
        _ = try LocalWrites(zone: zone, author: author, wallMilliseconds: simulation.now, sign: sign).restateForked(
            in: &transaction
        )
    }

    private func record(_ proof: ForkProof) throws {
        let head = proof.first.head
        let actor = head.actor
        try tracking(head.zone) { transaction in
            _ = try proof.record(actor: actor, wallMilliseconds: simulation.now, in: &transaction)
            try self.restate(head.zone, in: &transaction)
        }
    }

    private func noteEmpty(_ logs: [LogState], zone: ZoneID) throws {
        let rows = logs.compactMap { log -> LogRow? in
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            guard let owner = simulation.nodes.first(where: { $0.author.device == log.device }),
                let cut = simulation.cut(of: owner.index, key: key, asKnownTo: self)
            else { return nil }
            return LogRow(key: key, device: log.device, incarnation: log.incarnation, right: log.right, cut: cut)
        }
        try tracking(zone) { transaction in
            _ = try Rulings(of: zone, wallMilliseconds: simulation.now).noteEmptyLogs(rows, in: &transaction)
        }
    }

    // MARK: The account

    /// Adds an entry that this node wrote.
    func add(_ entry: SimulatedAccount.Entry) throws {
        account.insert(entry)
        var effects: [SyncEffect] = []
        try accountChanged(into: &effects)
        try perform(effects)
    }

    /// Applies any change of the account: cuts take effect, then the core is notified.
    private func accountChanged(into effects: inout [SyncEffect]) throws {
        for node in simulation.nodes where account.standing(of: node.index) == .removed {
            for zone in try store.zones() {
                let cuts = simulation.cuts[node.index]?[zone.id] ?? [:]
                var transaction = store
                _ = try transaction.applyCuts(
                    cuts,
                    of: node.author.device,
                    zone: zone.id,
                    wallMilliseconds: simulation.now
                )
                store = transaction
                handle(.zoneChanged(try snapshot(zone), before: [:]), into: &effects)
            }
        }
        handle(.accountChanged(heads: account.heads, standings: standings), into: &effects)
    }
}
