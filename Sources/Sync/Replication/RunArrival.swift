import Records
import Wire

/// A run that has arrived, with the state of its log and zone before it is stored.
struct RunArrival {
    let run: Run
    let key: LogKey
    let purpose: RunPurpose
    /// The ruling on the log, which may not be held yet.
    let ruling: LogRuling
    /// The part above the log's cut that is kept.
    let keeps: KeptAboveCut
    /// The size of the log that is held.
    let sizeBefore: UInt64
    /// Whether the zone is there and not deleted.
    let wasLive: Bool

    /// Prepares to receive the run.
    /// - Parameters:
    ///   - sharedSize: As of `RunReceiver`.
    ///   - committer: The time.
    /// - Returns: The receiver.
    func receiver(sharedSize: UInt64, by committer: Committer) -> RunReceiver {
        RunReceiver(
            run,
            actor: key.actor,
            ruling: ruling,
            sharedSize: sharedSize,
            keeps: keeps,
            liveSet: purpose.liveSet,
            wallMilliseconds: committer.wallMilliseconds
        )
    }

    /// Lets the stored run take effect on the ends of logs, on checkpoints, and on this store's own
    /// operations.
    /// - Parameters:
    ///   - applied: The result of applying the run.
    ///   - lost: The operations of this store that the run took out of the log.
    ///   - committer: The account and the time.
    ///   - random: For a new lifetime, if operations of this store were taken out of the log.
    ///   - transaction: The store.
    /// - Returns: The notice.
    /// - Throws: `ReplicaError`, or an error of the store.
    func takeEffect(
        _ applied: AppliedOperations,
        replacing lost: Unshared?,
        by committer: Committer,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        var notice = CommitNotice(
            number: try transaction.nextCommitNumber(),
            feed: FeedGrowth(applied.changed)
        )
        // Other runs may have records evaluated several times.
        if key.lane == .data, !applied.isTakenBack, !applied.hasControlChanges {
            notice.memory = CommitMemory(changed: applied.changed, bySync: true)
        }
        let ruled = try rule(after: applied, by: committer, in: &transaction)
        if ruled != nil || purpose == .deposit || !applied.void.isEmpty { notice.quarantines = [key.zone] }
        notice.feed.formUnion(FeedGrowth(ruled?.changed ?? []))
        let anomalies = RunAnomalies(committer)
        notice.anomalies = try anomalies.find(in: run, above: sizeBefore, applied, in: transaction)
        let head = run.signedHead.head
        if try anomalies.provesClone(head, in: transaction) { notice.clones = [head] }
        notice.merge(try recover(lost, by: committer, random: &random, in: &transaction))
        if applied.isTakenBack || run.hasGaps { try ZoneTurns(of: key.zone).note(in: &transaction) }
        if applied.hasCoveredCheckpoint, try CheckpointUpkeep(committer).adoptSoon(key.zone, in: &transaction) {
            notice.feed = .anything
        }
        if applied.hasControlChanges, wasLive, try transaction.zone(key.zone)?.isDeleted == true {
            notice.zoneEvents.append((key.zone, true))
        }
        if Assertions.areActive {
            let held = try transaction.log(key)?.size ?? 0
            assert(held >= applied.size, "no more is acknowledged than is held")
        }
        return notice
    }

    private func rule(
        after applied: AppliedOperations,
        by committer: Committer,
        in transaction: inout some NodeTransaction
    ) throws -> RulingOutcome? {
        var (outcome, statedEnd): (RulingOutcome?, UInt64?)
        if case .upTo(let end) = keeps { statedEnd = end }
        // Operations up to a stated end are effective once the log has reached it.
        if key.lane == .control || statedEnd.map({ $0 <= applied.size }) ?? false {
            outcome = try LogRulings(committer).rule(key.zone, in: &transaction)
        }
        // With one log more another one of the device may be surplus.
        if sizeBefore == 0, key.lane == .data, LaneRoom(try transaction.logs(zone: key.zone), .data).hasSurplus {
            outcome.add(try LogRulings(committer).rule(key.zone, in: &transaction))
        }
        return outcome
    }

    /// Writes the operations again that the run took out of a log of this store.
    private func recover(
        _ lost: Unshared?,
        by committer: Committer,
        random: inout some RandomNumberGenerator,
        in transaction: inout some NodeTransaction
    ) throws -> CommitNotice {
        let recovery = RollbackRecovery(committer)
        let head = run.signedHead.head
        var notice = CommitNotice()
        if lost != nil {
            notice.renewed = try recovery.renewedIncarnation(if: head.incarnation, random: &random, in: &transaction)
        }
        try recovery.forgetShared(key, head.device, in: &transaction)
        if let lost, try recovery.writeAgain(lost, in: &transaction) { notice.feed = .anything }
        return notice
    }
}

extension Run {
    /// Whether leaves are missing in it.
    fileprivate var hasGaps: Bool {
        items.contains { if case .gap = $0 { true } else { false } }
    }
}
