import Capabilities
import Identity
import Records
package import Wire

/// Runs on their way out and in, and proofs that a log was forked.
package struct RunExchange: Sendable {
    /// The approximate size of one run of a deposit, in bytes.
    private static let depositRunByteCount = 1 << 20

    let committer: Committer

    /// Works within one transaction.
    package init(_ committer: Committer) {
        self.committer = committer
    }

    /// The next run of a log for a peer.
    /// - Parameters:
    ///   - key: The log.
    ///   - from: The size of the log that the peer holds.
    ///   - byteCount: The approximate maximum size of the run in bytes.
    ///   - transaction: The store.
    /// - Returns: The run; `nil` when there is nothing more.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func run(
        _ key: LogKey,
        from: UInt64,
        byteCount: Int,
        in transaction: some NodeTransaction
    ) throws -> Run? {
        try RunServing(key).run(from: from, byteCount: UInt64(max(byteCount, 1)), in: transaction)
    }

    /// The next part of a log of this device that lies above its cut, for a peer that may keep it as quarantined.
    /// - Parameters:
    ///   - key: The log.
    ///   - limit: The end of the log for the peer; `nil` where that is known here.
    ///   - from: The size that the peer stated; its statement about the log ends at the cut.
    ///   - byteCount: The approximate maximum size of the run in bytes.
    ///   - transaction: The store.
    /// - Returns: The run; `nil` for a log of another device or one that is not cut, or when there is no more that would be kept.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func deposit(
        _ key: LogKey,
        above limit: UInt64? = nil,
        from: UInt64 = 0,
        byteCount: Int,
        in transaction: some NodeTransaction
    ) throws -> Run? {
        guard let row = try transaction.log(key), row.device == committer.device,
            let zone = try transaction.zone(key.zone),
            zone.state == .live
        else { return nil }
        guard let limit = try limit ?? endForOthers(of: row, zone, in: transaction) else { return nil }
        return try RunServing(key).deposit(
            above: limit,
            from: from,
            byteCount: UInt64(max(byteCount, 1)),
            in: transaction
        )
    }

    /// Returns this device's operations in a zone above the ends of its logs, for a peer that keeps them in
    /// quarantine.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - held: The size of each log at the peer, where it stated them: a removed device does not know where its
    ///     logs end.
    ///   - transaction: The store.
    /// - Returns: The runs, as many as the peer keeps of each log.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func deposits(
        in zone: ZoneID,
        above held: [ActorLane: UInt64]? = nil,
        _ transaction: some NodeTransaction
    ) throws -> [Run] {
        var runs: [Run] = []
        for row in try transaction.logs(zone: zone) where row.device == committer.device && row.key.lane == .data {
            var from: UInt64 = 0
            let limit = held.map { $0[row.key.actorLane] ?? 0 }
            while let run = try deposit(
                row.key,
                above: limit,
                from: from,
                byteCount: Self.depositRunByteCount,
                in: transaction
            ) {
                runs.append(run)
                assert(run.signedHead.head.size > from, "each run of late writes goes beyond the one before")
                from = run.signedHead.head.size
            }
        }
        return runs
    }

    /// The end of a log for other stores: this store disregards a removal of its own device.
    private func endForOthers(of row: LogRow, _ zone: ZoneRow, in transaction: some NodeTransaction) throws -> UInt64? {
        switch try ZoneRights(zone, of: committer, in: transaction).cutForOthers(of: row) {
        case .none, .waiting: nil
        case .zero: 0
        case .at(let size, _): size
        }
    }

    /// Verifies, stores and applies a run.
    /// - Parameters:
    ///   - run: The run from a peer.
    ///   - key: The log it belongs to.
    ///   - purpose: The purpose. Operations of a deposit above the log's cut are kept in quarantine, for people to
    ///     decide about; only where this account rules the zone or the log is one of its own, and up to the bounds of
    ///     `ReplicaLimits`. Else the deposit is refused.
    ///   - random: For a new lifetime, if the run proves that this store's log was forked.
    ///   - transaction: The store.
    /// - Returns: The run's outcome; a thrown error has one too, see `RunOutcome.init(_:of:)`.
    /// - Throws: `CommitError`, `ReplicaError`, or an error of the store.
    package func apply(
        _ run: Run,
        key: LogKey,
        for purpose: RunPurpose = .replication(liveSet: nil),
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> Changed<RunOutcome> {
        let head = run.signedHead.head
        assert(head.key == key, "a run is taken for the log that its head names")
        if purpose == .deposit {
            try RemovalStatements(committer).make(about: head.device, zone: key.zone, in: &transaction)
        }
        let arrival = try arrival(of: run, key, for: purpose, in: transaction)
        return try committer.tracking(key.zone, in: &transaction) { transaction in
            let sharedSize = try RollbackRecovery(committer).sharedSize(key, head.device, in: transaction)
            let unshared = try Unshared(truncatedBy: run, key: key, sharedSize: sharedSize, in: transaction)
            switch try arrival.receiver(sharedSize: sharedSize, by: committer).receive(in: &transaction) {
            case .stored(let applied):
                let notice = try arrival.takeEffect(
                    applied,
                    replacing: applied.isTakenBack ? unshared : nil,
                    by: committer,
                    random: &random,
                    in: &transaction
                )
                return Changed(.durable(size: applied.size, operations: applied.storedCount), notice: notice)
            case .alreadyHeld(let size):
                return Changed(.durable(size: size, operations: 0))
            case .beyondCut(_, let freed):
                let number = freed == nil ? nil : try transaction.nextCommitNumber()
                let notice = CommitNotice(number: number, feed: FeedGrowth(freed?.changed ?? []))
                return Changed(.durable(size: head.size, operations: 0), notice: notice)
            case .beyondBudget:
                return Changed(.controlLogFull(size: head.size))
            case .misplaced:
                return Changed(.misplaced)
            case .beyondFork(let proof, let stopped):
                let number = stopped == nil ? nil : try transaction.nextCommitNumber()
                let notice = CommitNotice(number: number, feed: FeedGrowth(stopped ?? []))
                return Changed(.forkKnown(proof, size: head.size), notice: notice)
            case .forked(let proof):
                return Changed(
                    .fork(proof),
                    notice: try ForkRestatement(committer).forked(key, head, random: &random, in: &transaction)
                )
            }
        }
    }

    private func arrival(
        of run: Run,
        _ key: LogKey,
        for purpose: RunPurpose,
        in transaction: some NodeTransaction
    ) throws -> RunArrival {
        let head = run.signedHead.head
        let ruling = try ruling(of: head, in: transaction)
        let room =
            purpose == .deposit ? try depositRoom(underRight: head.right, zone: key.zone, in: transaction) : nil
        let end = try statedEnd(of: head, ruling, in: transaction)
        return RunArrival(
            run: run,
            key: key,
            purpose: purpose,
            ruling: ruling,
            keeps: end.map { .upTo($0) } ?? room.map { .deposit($0) } ?? .nothing,
            sizeBefore: try transaction.log(key)?.size ?? 0,
            wasLive: try transaction.zone(key.zone).map { !$0.isDeleted } ?? false
        )
    }

    /// The room for operations above a log's cut, which this account keeps if it lost the device or rules the zone; `nil` otherwise.
    private func depositRoom(
        underRight right: Hash,
        zone: ZoneID,
        in transaction: some NodeTransaction
    ) throws -> DepositRoom? {
        guard let row = try transaction.zone(zone) else { return nil }
        let state = try ZoneRights(row, of: committer, in: transaction).state
        if state.account(of: right) == committer.account.account { return .ofDevice }
        return row.role.rulesZone ? .ofRight(sharing: state.sharingGrant(with: right)) : nil
    }

    /// The size up to which a data log is effective once it reaches the stated root, although the owner has bounded the
    /// effective part; `nil` for a log that is not cut, or when a run does not lead there.
    /// - Complexity: O(1) for logs that are not cut, else as ``ZoneViews/controlState(_:in:)``.
    private func statedEnd(
        of head: TreeHead,
        _ ruling: LogRuling,
        in transaction: some NodeTransaction
    ) throws -> UInt64? {
        let row = try transaction.log(head.key) ?? LogRow(head, key: head.key, ruling: ruling)
        guard head.lane == .data, let cut = row.cut, head.size > cut.size, head.size > row.size,
            let zone = try transaction.zone(head.zone),
            let end = try ZoneRights(zone, of: committer, in: transaction).statedEnd(of: row), head.size <= end.size,
            head.size < end.size || head.root == end.root
        else { return nil }
        return end.size
    }

    /// The newest head of a log and the hashes under it, for a peer that seems to hold another history.
    /// - Parameters:
    ///   - key: The log.
    ///   - transaction: The store.
    /// - Returns: A run without operations; `nil` when nothing of the log is held.
    /// - Throws: `ReplicaError`, or an error of the store.
    package func skeleton(_ key: LogKey, in transaction: some NodeTransaction) throws -> Run? {
        try RunServing(key).skeleton(in: transaction)
    }

    /// Takes a fork proof that a peer passed on.
    /// - Parameters:
    ///   - proof: The proof.
    ///   - random: For a new lifetime, if it is this store's log that was forked.
    ///   - transaction: The store.
    /// - Returns: The notice; nothing changed when the log ended there, or before, already.
    /// - Throws: `CommitError.waiting` for a device that its account does not know, since anyone can make keys and prove that their logs are
    ///   forked; `ReplicaError` for a proof that proves nothing; or an error of the store.
    package func record(
        _ proof: ForkProof,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let head = proof.first.head
        let ruling = try self.ruling(of: head, in: transaction)
        // A proof about a log that is not held, by an unknown right, is of no use.
        if ruling.role == .unknown, try transaction.log(head.key) == nil { return CommitNotice() }
        return try committer.tracking(head.zone, in: &transaction) { transaction in
            let applied = try proof.record(
                actor: head.actor,
                ruling: ruling,
                wallMilliseconds: committer.wallMilliseconds,
                in: &transaction
            )
            guard applied != nil else { return CommitNotice() }
            return try ForkRestatement(committer).forked(head.key, head, random: &random, in: &transaction)
        }
    }

    /// Decides about the log of a head.
    private func ruling(of head: TreeHead, in transaction: some NodeTransaction) throws -> LogRuling {
        if let row = try transaction.log(head.key), row.size > 0 { return row.ruling }
        guard let zone = try transaction.zone(head.zone) else { throw ReplicaError.unknownZone(head.zone) }
        return try LogRulings(committer).ruling(ofNew: head, zone: zone, in: transaction)
    }

    /// Returns a head of each log that is known to be forked, to repeat the warnings that a restart has cleared.
    /// - Parameter transaction: The store.
    /// - Returns: The heads, by zone and log.
    /// - Throws: Any error of the store.
    package func forks(_ transaction: some NodeTransaction) throws -> [TreeHead] {
        try transaction.zones().filter(committer.isCurrent).flatMap { zone in
            try transaction.logs(zone: zone.id).compactMap { $0.forkProof?.first.head }
        }
    }
}

extension RunOutcome {
    /// The answer to the core about a run.
    /// - Parameters:
    ///   - result: The result or the error of ``RunExchange/apply(_:key:for:random:in:)``, or the error of its
    ///     transaction.
    ///   - run: The run.
    package init(_ result: Result<RunOutcome, any Error>, of run: Run) {
        switch result {
        case .success(let outcome):
            self = outcome
        case .failure(let error as StorageError):
            self = error.code == .diskFull ? .storageFull : .storageFailed
        case .failure(let error as ReplicaError):
            switch error {
            // Nothing is wrong with the run: it cannot be taken in the present state of this store.
            case .ownLogClosed, .noRoom, .tooManyActors, .unreadable: self = .misplaced
            case .pendingFull, .missingCheckpoint, .unknownZone: self = .misplaced
            case .missingSuccessor: self = .unexplained
            case .zoneClosed: self = .unwanted(size: run.signedHead.head.size)
            case .controlLogFull: self = .controlLogFull(size: run.signedHead.head.size)
            // Its author has signed both histories, as far as this one shows.
            case .invalidRun(_, .rootMismatch): self = .contradiction
            case .invalidRun(_, .invalidOperation(_, .unseenEntry)):
                self = .brokenLog(by: run.signedHead.head.device, "\(error)")
            case .invalidRun, .invalidForkProof, .zoneMismatch: self = .violation("\(error)")
            // The store contradicts itself: that is no fault of the sender.
            case .damaged, .unknownLog, .unstorable: self = .storageFailed
            }
        case .failure(CommitError.waiting):
            self = .misplaced
        // It is offered again after some time.
        case .failure(CommitError.noRoom):
            self = .unwanted(size: run.signedHead.head.size)
        case .failure(let error as CommitError):
            self = .violation("\(error)")
        case .failure:
            self = .storageFailed
        }
    }
}
