import Identity
import Records
package import Wire

// Runs on their way out and in, and what shows that a log was forked.
extension Committer {
    /// The next run of a log for a peer.
    /// - Parameters:
    ///   - key: The log.
    ///   - from: How much of it the peer holds.
    ///   - byteCount: How large the run may be, roughly.
    ///   - transaction: The store.
    /// - Returns: The run; `nil` when there is nothing more.
    /// - Throws: `ReplicaError`, or what the store throws.
    package func run(
        _ key: LogKey,
        from: UInt64,
        byteCount: Int,
        in transaction: some NodeTransaction
    ) throws -> Run? {
        try Replica.run(for: key, from: from, byteCount: UInt64(max(byteCount, 1)), in: transaction)
    }

    /// Verifies, stores and applies a run.
    /// - Parameters:
    ///   - run: What a peer sent.
    ///   - key: The log it belongs to.
    ///   - random: For a new lifetime, if the run proves that this store's log was forked.
    ///   - transaction: The store.
    /// - Returns: The notice with the run's outcome; what is thrown has one too, see `RunOutcome.init(_:of:)`.
    /// - Throws: `CommitError.unknownAuthor`, `ReplicaError`, or what the store throws.
    package func apply(
        _ run: Run,
        key: LogKey,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let head = run.signedHead.head
        if case .unknown = account.standing(of: head.device) { throw CommitError.unknownAuthor(head.device) }
        let cut = cut(for: key.actor, device: head.device, lane: key.lane, zone: key.zone)
        let isKnown = try transaction.zone(key.zone).map { !$0.isDeleted } ?? false
        return try tracking(key.zone, in: &transaction) { transaction in
            var notice = CommitNotice()
            switch try Replica.receive(
                run,
                actor: key.actor,
                cut: cut,
                wallMilliseconds: wallMilliseconds,
                in: &transaction
            ) {
            case .stored(let applied):
                notice.number = try transaction.nextCommitNumber()
                notice.hasRecordChanges = !applied.changed.isEmpty
                notice.outcome = .durable(size: applied.size, operations: applied.storedCount)
                if applied.hasCoveredCheckpoint, try adoptCheckpoints(zone: key.zone, in: &transaction) {
                    notice.hasRecordChanges = true
                }
                if applied.hasControlChanges, isKnown, try transaction.zone(key.zone)?.isDeleted == true {
                    notice.zoneEvents.append((key.zone, true))
                }
            case .alreadyHeld(let size):
                notice.outcome = .durable(size: size, operations: 0)
            case .beyondCut(_, let freed):
                if let freed {
                    notice.number = try transaction.nextCommitNumber()
                    notice.hasRecordChanges = !freed.changed.isEmpty
                }
                notice.outcome = .durable(size: head.size, operations: 0)
            case .misplaced:
                notice.outcome = .misplaced
            case .beyondFork(let proof):
                notice.outcome = .forkKnown(proof, size: head.size)
            case .forked(let proof):
                notice = try forked(key, head, random: &random, in: &transaction)
                notice.outcome = .fork(proof)
            }
            return notice
        }
    }

    /// The newest head of a log and the hashes under it, for a peer that seems to hold another history.
    /// - Parameters:
    ///   - key: The log.
    ///   - transaction: The store.
    /// - Returns: A run without operations; `nil` when nothing of the log is held.
    /// - Throws: `ReplicaError`, or what the store throws.
    package func skeleton(_ key: LogKey, in transaction: some NodeTransaction) throws -> Run? {
        try Replica.skeleton(of: key, in: transaction)
    }

    /// Takes a fork proof that a peer passed on.
    /// - Parameters:
    ///   - proof: The proof.
    ///   - random: For a new lifetime, if it is this store's log that was forked.
    ///   - transaction: The store.
    /// - Returns: The notice; nothing changed when the log ended there, or before, already.
    /// - Throws: `CommitError.unknownAuthor`, since anybody can make keys and prove that their logs are forked;
    ///   `ReplicaError` for a proof that proves nothing; or what the store throws.
    package func record(
        _ proof: ForkProof,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let head = proof.first.head
        if case .unknown = account.standing(of: head.device) { throw CommitError.unknownAuthor(head.device) }
        let actor = ActorID(device: head.device, incarnation: head.incarnation)
        let cut = cut(for: actor, device: head.device, lane: head.lane, zone: head.zone)
        return try tracking(head.zone, in: &transaction) { transaction in
            let applied = try Replica.record(
                proof,
                actor: actor,
                cut: cut,
                wallMilliseconds: wallMilliseconds,
                in: &transaction
            )
            guard applied != nil else { return CommitNotice() }
            let key = LogKey(zone: head.zone, actor: actor, lane: head.lane)
            return try forked(key, head, random: &random, in: &transaction)
        }
    }

    /// A head of each log that is known to be forked: the warnings that a restart has taken back.
    /// - Parameter transaction: The store.
    /// - Returns: The heads, by zone and log.
    /// - Throws: What the store throws.
    package func forks(_ transaction: some NodeTransaction) throws -> [TreeHead] {
        try transaction.zones().filter { $0.genesis.owner == account.account }.flatMap { zone in
            try transaction.logs(zone: zone.id).compactMap { $0.forkProof?.first.head }
        }
    }
}

extension RunOutcome {
    /// The answer to the core about a run.
    /// - Parameters:
    ///   - result: What ``Committer/apply(_:key:random:in:)`` returned or threw, or why its transaction failed.
    ///   - run: The run.
    package init(_ result: Result<CommitNotice, any Error>, of run: Run) {
        switch result {
        case .success(let notice):
            self = notice.outcome ?? .storageFailed
        case .failure(_ as StorageError) where PlantedBug.acknowledgeBeforeCommit.isActive:
            self = .durable(size: run.signedHead.head.size, operations: UInt64(run.items.count))
        case .failure(let error as StorageError):
            self = error.code == .diskFull ? .storageFull : .storageFailed
        case .failure(let error as ReplicaError):
            switch error {
            case .pendingFull, .missingSuccessor, .missingCheckpoint, .unknownZone: self = .misplaced
            case .zoneClosed: self = .unwanted(size: run.signedHead.head.size)
            // Its author has signed both histories, as far as this one shows.
            case .invalidRun(_, .rootMismatch): self = .contradiction
            default: self = .violation("\(error)")
            }
        case .failure(let error as CommitError):
            self = .violation("\(error)")
        case .failure:
            self = .storageFailed
        }
    }
}

extension Identity.LogCut {
    /// The cut as the replica keeps it; `nil` for a device of the account.
    var stored: Records.LogCut? {
        switch self {
        case .none: nil
        case .at(let size, let root): Records.LogCut(size: size, root: root)
        case .zero: Records.LogCut(size: 0, root: TreeFrontier().root)
        }
    }
}
