import Logging
import Records
import Sync
import Wire

// What an earlier run of the program, or an earlier attempt, left undone.
extension ReplicaService {
    /// Does what a crash may have left undone between a change of the account on the disk and its effect on the zones.
    ///
    /// Runs before anything else does. What fails is left for the maintenance, with a warning.
    func settle(_ storage: any StoragePort) async throws {
        let old = try await storage.read { [self] transaction in
            // Warnings that the restart has taken back.
            try committer.forks(transaction).forEach(warnOfFork)
            return try committer.oldZones(transaction)
        }
        let opening: StorageJob = { [self] transaction in try open(&transaction) }
        // Who was let in, or put out, before the keys were sealed to who reads now.
        let supplying: StorageJob = { [self] transaction in
            try change(&transaction) { try $0.renewKeysWhereDue(in: &$2) }
        }
        let jobs = [opening, supplying] + old.map { moving($0) }
        do {
            for result in try await storage.commit(jobs) {
                if case .failure(let error) = result { notSettled(error) }
                announce(result)
            }
        } catch {
            notSettled(error)
        }
    }

    /// Tries again what could not be settled before.
    func settleAgain(_ commits: CommitQueue) async throws {
        guard health.contains(Self.unsettledCode) else { return }
        health.clear(Self.unsettledCode)
        do {
            _ = try await commits.perform { [self] transaction in
                try open(&transaction)
            } whenDurable: { [self] in
                announce($0)
            }
        } catch {
            notSettled(error)
        }
        moveOldZones(through: commits)
    }

    /// Opens the keys of all zones, and lets their logs end where they are to.
    ///
    /// Before anything else: no record of a zone can be read, and none written, before its keys are open.
    private func open(_ transaction: inout any NodeTransaction) throws -> StoreNotice {
        try change(&transaction) { committer, _, transaction in
            try committer.openKeysOfOldZones(in: &transaction)
            return try committer.applyCuts(in: &transaction)
        }
    }

    /// Moves all zones of an account that this device has left, one job a zone.
    func moveOldZones(through commits: CommitQueue) {
        _ = commits.enqueue { [self] transaction in
            try committer.oldZones(transaction)
        } completion: { [self] result in
            if case .failure(let error) = result { notSettled(error) }
            guard case .success(let value) = result, let zones = value as? [ZoneID] else { return }
            for zone in zones {
                _ = commits.enqueue(moving(zone)) { [self] result in
                    announce(result)
                    if case .failure(let error) = result { notSettled(error) }
                }
            }
        }
    }

    private func moving(_ zone: ZoneID) -> StorageJob {
        { [self] transaction in
            // Its records stay where they are; written again here they would count nowhere.
            guard identity.mayWrite else { throw Node.readOnly }
            return try change(&transaction) { try $0.moveToCurrentAccount(zone, random: &$1, in: &$2) }
        }
    }

    private func notSettled(_ error: any Error) {
        logger.error("old zones or cuts not settled; tried again by the maintenance", metadata: ["error": "\(error)"])
        health.set(
            HealthWarning(
                code: Self.unsettledCode,
                severity: .warning,
                message: "Records of the account that this device has left are not in the present one yet.",
                fix: "It is tried again every minute; see the daemon's log for the reason."
            )
        )
    }

    /// The warning that stands while zones of a left account wait to be moved.
    static let unsettledCode = "account.not_settled"
}
