import Identity
import Logging
import Records
import Sync
import Wire

// Runs on their way out and in, and what shows that a log was forked.
extension ReplicaService {
    /// The next run of a log for a peer that holds it up to `from`.
    func run(_ key: LogKey, from: UInt64, byteCount: Int, in transaction: any NodeTransaction) throws -> Run? {
        try Replica.run(for: key, from: from, byteCount: UInt64(max(byteCount, 1)), in: transaction)
    }

    /// Verifies, stores and applies a run.
    func apply(_ run: Run, key: LogKey, in transaction: inout any NodeTransaction) throws -> CommitNotice {
        let head = run.signedHead.head
        let account = identity.accountState
        if case .unknown = account.standing(of: head.device) { throw UnknownAuthor(device: head.device) }
        let cut = account.cut(for: key.actor, device: head.device, lane: key.lane, zone: key.zone).stored
        let isKnown = try transaction.zone(key.zone).map { !$0.isDeleted } ?? false
        return try tracking(key.zone, in: &transaction) { transaction in
            var notice = CommitNotice()
            switch try Replica.receive(
                run,
                actor: key.actor,
                cut: cut,
                wallMilliseconds: clock.wall(),
                in: &transaction
            ) {
            case .stored(let applied):
                notice.number = try transaction.nextCommitNumber()
                notice.hasRecordChanges = !applied.changed.isEmpty
                notice.outcome = .durable(size: applied.size, operations: applied.storedCount)
                if applied.hasCoveredCheckpoint {
                    try adoptCheckpoints(zone: key.zone, in: &transaction)
                }
                if applied.hasControlChanges, isKnown, let row = try transaction.zone(key.zone), row.isDeleted {
                    notice.zoneEvents.append((try status(of: row, in: transaction), true))
                }
            case .alreadyHeld(let size):
                notice.outcome = .durable(size: size, operations: 0)
            case .beyondCut:
                notice.outcome = .durable(size: head.size, operations: 0)
            case .misplaced:
                notice.outcome = .misplaced
            case .forked(let proof):
                notice.number = try transaction.nextCommitNumber()
                notice.outcome = .fork(proof)
                notice.renewed = try renewedIncarnation(ifActor: key.actor, in: &transaction)
                warnOfFork(head)
            }
            return notice
        }
    }

    /// Takes a fork proof that a peer passed on.
    func record(_ proof: ForkProof, in transaction: inout any NodeTransaction) throws -> CommitNotice {
        let head = proof.first.head
        let actor = ActorID(device: head.device, incarnation: head.incarnation)
        return try tracking(head.zone, in: &transaction) { transaction in
            let applied = try Replica.record(proof, actor: actor, wallMilliseconds: clock.wall(), in: &transaction)
            guard let applied else { return CommitNotice() }
            warnOfFork(head)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            notice.hasRecordChanges = !applied.changed.isEmpty
            notice.renewed = try renewedIncarnation(ifActor: actor, in: &transaction)
            return notice
        }
    }

    func warnOfFork(_ head: TreeHead) {
        health.set(
            HealthWarning(
                code: "log.forked",
                severity: .critical,
                message:
                    "Device \(head.device.shortText) signed two histories of one log in zone \(head.zone.shortText).",
                fix: "The log takes nothing more. Find out whether that device was copied; remove it if it was."
            )
        )
        logger.error(
            "log forked",
            metadata: ["peer.id": "\(head.device.shortText)", "zone.id": "\(head.zone.shortText)"]
        )
    }

    /// The answer to the core about a run.
    static func outcome(_ result: Result<any Sendable, any Error>, of run: Run) -> RunOutcome {
        switch result {
        case .success(let value):
            return (value as? CommitNotice)?.outcome ?? .storageFailed
        case .failure(let error as StorageError):
            return error.code == .diskFull ? .storageFull : .storageFailed
        case .failure(let error as ReplicaError):
            switch error {
            case .pendingFull, .missingSuccessor, .missingCheckpoint, .unknownZone: return .misplaced
            case .forked, .zoneClosed: return .unwanted(size: run.signedHead.head.size)
            // Its author has signed both histories, as far as this one shows.
            case .invalidRun(_, .rootMismatch): return .contradiction
            default: return .violation("\(error)")
            }
        case .failure(let error as UnknownAuthor):
            return .violation("\(error)")
        case .failure:
            return .storageFailed
        }
    }

    /// A run whose author the account log does not know; account entries always travel first.
    struct UnknownAuthor: Error {
        let device: DeviceID
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
