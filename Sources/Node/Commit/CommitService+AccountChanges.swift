import Logging
import Records
import Sync
import Synchronization
import Wire

// Work that an earlier run of the program, or an earlier attempt, left undone.
extension CommitService {
    /// Finishes work that a crash may have left undone between a change of the account on the disk and its effect on
    /// the zones.
    ///
    /// Runs before all other work, a transaction for some zones at a time. A failed step is left for the maintenance,
    /// with a warning.
    func finishAccountChanges(_ storage: any StoragePort) async throws {
        let old = try await storage.read { [self] transaction in
            // Warnings that the restart has cleared.
            try RunExchange(committer).forks(transaction).forEach(warnOfFork)
            return try AccountMove(committer).oldZones(transaction)
        }
        // Keys for members that were added or removed before the keys were sealed to the present readers.
        var failures = await open(suppliesKeys: true, by: .store(storage))
        for zone in old where failures.allSatisfy(StorageError.mayBeOneJobsFault) {
            do {
                try await perform(moving(zone), by: .store(storage))
            } catch {
                failures.append(error)
            }
        }
        failures.forEach(notFinished)
    }

    /// Retries the steps that could not be finished before; a step or read that fails is left for the next
    /// maintenance.
    func retryAccountChanges(_ commits: CommitQueue, _ storage: any StoragePort) async {
        let hasUnfinishedRulings = hasUnfinishedRulings.exchange(false, ordering: .relaxed)
        guard hasUnfinishedRulings || health.contains(Self.unsettledCode) else { return }
        // Before any read: a failure from here on does not show in the values read, and has to be retried.
        health.clear(Self.unsettledCode)
        do {
            let hasOldZones = try await storage.read { [committer] in try !AccountMove(committer).oldZones($0).isEmpty }
            let failures = await open(suppliesKeys: false, by: .queue(commits))
            failures.forEach(notRuled)
            if hasOldZones { moveOldZones(through: commits) }
        } catch {
            notRuled(error)
        }
    }

    /// The way by which a job reaches the store.
    private enum Writer {
        /// A transaction of its own, before the queue runs.
        case store(any StoragePort)
        case queue(CommitQueue)
    }

    /// Performs a change and announces its notice, or the trouble of the store that its failure shows.
    private func perform(_ job: @escaping StorageJob<CommitNotice>, by writer: Writer) async throws {
        do {
            switch writer {
            case .store(let storage): announce(try await storage.commit(job))
            case .queue(let commits): _ = try await commits.perform(job) { [self] in announce($0) }
            }
        } catch {
            warn(of: error)
            throw error
        }
    }

    /// Opens the keys of all zones, and lets their logs end where they are to, some zones a transaction.
    ///
    /// At the start before anything else: no record of a zone can be read, and none written, before its keys are open.
    /// - Parameters:
    ///   - suppliesKeys: As of ``ruleZones(suppliesKeys:through:)``.
    ///   - writer: The way by which its jobs reach the store.
    /// - Returns: The failures. One of a zone leaves the others as they are; one of the store as a whole ends it.
    private func open(suppliesKeys: Bool, by writer: Writer) async -> [any Error] {
        let listing: StorageJob<[ZoneID]> = { [self] transaction in
            try EpochKeys(committer).openOld(in: &transaction)
            return try AccountUpkeep(committer).zonesToRule(in: &transaction)
        }
        let listed: [ZoneID]
        do {
            switch writer {
            case .store(let storage): listed = try await storage.commit(listing)
            case .queue(let commits): listed = try await commits.perform(listing)
            }
        } catch {
            warn(of: error)
            return [error]
        }
        var failures: [any Error] = []
        // The next step is the last one.
        var steps = Array(Self.steps(listed[...], of: AccountUpkeep.ruledZoneCount).reversed())
        while let zones = steps.popLast() {
            do {
                try await perform(ruling(zones, suppliesKeys: suppliesKeys), by: writer)
            } catch {
                guard StorageError.mayBeOneJobsFault(error) else { return failures + [error] }
                if zones.count > 1 { steps += Self.steps(zones, of: 1).reversed() } else { failures.append(error) }
            }
        }
        return failures
    }

    private static func steps(_ zones: ArraySlice<ZoneID>, of count: Int) -> [ArraySlice<ZoneID>] {
        stride(from: zones.startIndex, to: zones.endIndex, by: count).map { start in
            zones[start..<min(start + count, zones.endIndex)]
        }
    }

    /// A job that lets the logs of some zones end where they are to.
    private func ruling(_ zones: ArraySlice<ZoneID>, suppliesKeys: Bool) -> StorageJob<CommitNotice> {
        { [self] transaction in
            try change(&transaction) { committer, _, transaction in
                var notice = try AccountUpkeep(committer).applyCuts(to: zones, in: &transaction)
                guard suppliesKeys else { return notice }
                for zone in zones {
                    let renewal = try EpochKeys(committer).renewIfDue(zone, in: &transaction)
                    if renewal.number != nil { notice.merge(renewal) }
                }
                return notice
            }
        }
    }

    /// Moves all zones of an account that this device has left, one job a zone.
    func moveOldZones(through commits: CommitQueue) {
        let isTaken = commits.enqueue { [self] transaction in
            try AccountMove(committer).oldZones(transaction)
        } completion: { [self] result in
            switch result {
            case .success(let zones):
                for zone in zones {
                    let isTaken = commits.enqueue(moving(zone)) { [self] result in
                        announce(result)
                        if case .failure(let error) = result { notFinished(error) }
                    }
                    if !isTaken { notFinished(commits.refusal) }
                }
            case .failure(let error): notFinished(error)
            }
        }
        if !isTaken { notFinished(commits.refusal) }
    }

    /// Makes the logs of all zones end where the accounts' logs say by now, some zones a transaction.
    ///
    /// A failure, or a full queue, is left for the maintenance.
    /// - Parameters:
    ///   - suppliesKeys: Whether this device also gives keys to the added devices, and a new one where a reader was
    ///     removed.
    ///   - commits: The queue.
    func ruleZones(suppliesKeys: Bool, through commits: CommitQueue) {
        let isTaken = commits.enqueue { [self] transaction in
            try AccountUpkeep(committer).zonesToRule(in: &transaction)
        } completion: { [self] result in
            switch result {
            case .success(let zones): rule(zones[...], suppliesKeys: suppliesKeys, through: commits)
            case .failure(let error): notRuled(error)
            }
        }
        if !isTaken { notRuled(commits.refusal) }
    }

    /// - Parameters:
    ///   - zones: The zones whose turn has not come.
    ///   - count: The number of zones that one transaction handles; those of a failed one are handled one by one.
    ///   - suppliesKeys: As of ``ruleZones(suppliesKeys:through:)``.
    ///   - commits: The queue.
    private func rule(
        _ zones: ArraySlice<ZoneID>,
        atATime count: Int = AccountUpkeep.ruledZoneCount,
        suppliesKeys: Bool,
        through commits: CommitQueue
    ) {
        guard !zones.isEmpty else { return }
        let now = zones.prefix(count)
        let isTaken = commits.enqueue(ruling(now, suppliesKeys: suppliesKeys)) { [self] result in
            announce(result)
            if case .failure(let error) = result {
                if now.count > 1 {
                    rule(now, atATime: 1, suppliesKeys: suppliesKeys, through: commits)
                } else {
                    notRuled(error)
                }
            }
            rule(zones.dropFirst(now.count), atATime: count, suppliesKeys: suppliesKeys, through: commits)
        }
        if !isTaken { notRuled(commits.refusal) }
    }

    /// Leaves rulings to the maintenance, with the store's own warning where the store is the cause.
    private func notRuled(_ error: any Error) {
        guard warn(of: error) else { return notFinished(error) }
        hasUnfinishedRulings.store(true, ordering: .relaxed)
        // The warning is in the log already.
        logger.info("cuts not applied; the maintenance tries again", metadata: ["error": "\(error)"])
    }

    private func moving(_ zone: ZoneID) -> StorageJob<CommitNotice> {
        { [self] transaction in
            // Its records stay where they are; written again here they would be ignored.
            guard identity.mayWrite else { throw NodeError.readOnly }
            return try change(&transaction) { try AccountMove($0).move(zone, random: &$1, in: &$2) }
        }
    }

    private func notFinished(_ error: any Error) {
        health.set(
            HealthWarning(
                code: Self.unsettledCode,
                severity: .warning,
                message: "A change of an account's devices has not taken effect in all zones yet.",
                fix: "The daemon tries again every minute; see its log for the reason.",
                facts: ["error": "\(error)"]
            )
        )
    }

    /// The warning that is raised while a change of an account has not taken effect in all zones.
    static let unsettledCode = "account.not_settled"
}
