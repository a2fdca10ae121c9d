import Identity
import Logging
import Records
import Sodium
import Sync
import Synchronization
import Wire

/// What a committed job changed, as its listeners need to know it.
package struct CommitNotice: Sendable {
    /// A zone whose logs grew, with the earlier sizes of those that did.
    struct ZoneChange: Sendable {
        var snapshot: ZoneSnapshot
        var before: [LogKey: UInt64]
    }

    /// The number of the commit; `nil` when nothing of the store's own changed.
    var number: UInt64?
    /// Zones whose logs grew.
    var zones: [ZoneChange] = []
    /// Whether the feed of changes grew.
    var hasRecordChanges = false
    /// Zones that appeared or were deleted.
    var zoneEvents: [(status: ZoneStatus, isDeleted: Bool)] = []
    /// For a run of a peer: what became of it.
    var outcome: RunOutcome?
    /// The store's new lifetime, if one has begun.
    var renewed: Incarnation?
}

/// Turns calls of the replication core into jobs for the commit queue, and tells what became of them.
///
/// The functions that take a transaction run on the store's writing connection; `announce` and its like run afterwards, in
/// the order of the commits.
package final class ReplicaService: Sendable {
    /// Who hears of commits.
    struct Listener: Sendable {
        var zoneChanged: @Sendable (ZoneSnapshot, [LogKey: UInt64]) -> Void
        var incarnationChanged: @Sendable () -> Void
    }

    private struct State {
        var listener: Listener?
        var isRecovering: Bool
    }

    let identity: NodeIdentity
    let hub: EventHub
    let clock: NodeClock
    let health = HealthBoard()
    let logger: Logger
    private let sentinel: SentinelFile
    private let state: Mutex<State>

    init(
        identity: NodeIdentity,
        hub: EventHub,
        clock: NodeClock,
        sentinel: SentinelFile,
        isRecovering: Bool,
        logger: Logger
    ) {
        self.identity = identity
        self.hub = hub
        self.clock = clock
        self.sentinel = sentinel
        self.logger = logger
        state = Mutex(State(isRecovering: isRecovering))
    }

    /// Whether the store was lost or restored and has not met a peer since.
    var isRecovering: Bool { state.withLock { $0.isRecovering } }

    func listen(_ listener: Listener) {
        state.withLock { $0.listener = listener }
    }

    /// A first comparison with a peer is complete.
    func recovered() {
        state.withLock { $0.isRecovering = false }
        health.clear("store.recovering")
    }

    /// Under whose name this store writes now.
    ///
    /// Read in the transaction that writes: a lifetime that another job of the same group has begun counts already, one
    /// that was rolled back never did.
    func author(_ transaction: any NodeTransaction) throws -> Author {
        guard let incarnation = try transaction.incarnation() else {
            throw StorageError(code: .corrupt, message: "the store does not say which lifetime it is in")
        }
        return Author(
            device: identity.device,
            incarnation: incarnation,
            actor: ActorID(device: identity.device, incarnation: incarnation)
        )
    }

    func sign(_ head: [UInt8]) -> Signature64 {
        identity.keys.sign(head, context: .treeHead)
    }

    // MARK: After a commit

    /// Tells what a job changed, or what its failure says about the store.
    ///
    /// Called by the commit queue, in the order of the commits: the sizes of logs that are told later are never smaller.
    func announce(_ result: Result<any Sendable, any Error>) {
        switch result {
        case .success(let value): if let notice = value as? CommitNotice { announce(notice) }
        case .failure(let error): warn(of: error)
        }
    }

    /// Raises the warning that belongs to a failure of the store.
    func warn(of error: any Error) {
        guard let error = error as? StorageError, error.code == .diskFull else { return }
        health.set(
            HealthWarning(
                code: Self.diskFullCode,
                severity: .critical,
                message: "No space is left: writes are refused, reading goes on.",
                fix: "Make space on the state directory's file system; writing resumes by itself."
            )
        )
    }

    /// The warning that stands from a failed commit to the next good one.
    static let diskFullCode = "storage.disk_full"

    func announce(_ notice: CommitNotice) {
        if let renewed = notice.renewed { identity.setIncarnation(renewed) }
        if let number = notice.number {
            health.clear(Self.diskFullCode)
            do {
                try sentinel.write(commitNumber: number, incarnation: identity.incarnation)
            } catch {
                // It may lag behind the store; a sentinel that stays behind only makes an old backup look current.
                logger.warning("sentinel not written", metadata: ["error": "\(error)"])
            }
        }
        let listener = state.withLock { $0.listener }
        if notice.renewed != nil {
            warnOfRenewal()
            listener?.incarnationChanged()
        }
        for change in notice.zones { listener?.zoneChanged(change.snapshot, change.before) }
        for (status, isDeleted) in notice.zoneEvents { hub.publish(.zone(status, isDeleted: isDeleted)) }
        if notice.hasRecordChanges { hub.feedGrew() }
    }

    // MARK: Zones

    /// Snapshots of all zones of this account.
    func snapshots(_ transaction: any NodeTransaction) throws -> [ZoneSnapshot] {
        try transaction.zones().filter { $0.genesis.owner == identity.account }.map {
            try snapshot(of: $0, in: transaction)
        }
    }

    func snapshot(of zone: ZoneRow, in transaction: any NodeTransaction) throws -> ZoneSnapshot {
        var logs: [LogKey: LogState] = [:]
        for (row, size, root) in try Replica.positions(zone: zone.id, in: transaction) {
            // Of a deleted zone only the word that it was deleted still travels.
            if zone.isDeleted, row.key.lane == .data { continue }
            logs[row.key] = LogState(
                device: row.device,
                incarnation: row.incarnation,
                lane: row.key.lane,
                size: size,
                root: root
            )
        }
        let checkpoint = zone.adopted?.hash ?? .zero
        return ZoneSnapshot(zone: zone.id, genesis: zone.genesis, logs: logs, checkpoint: checkpoint)
    }

    /// Runs a change of one zone and notes which of its logs grew.
    func tracking(
        _ zone: ZoneID,
        in transaction: inout any NodeTransaction,
        _ body: (inout any NodeTransaction) throws -> CommitNotice
    ) throws -> CommitNotice {
        let before = Dictionary(
            uniqueKeysWithValues: try transaction.logs(zone: zone).map { ($0.key, $0.size) }
        )
        var notice = try body(&transaction)
        guard let row = try transaction.zone(zone) else { return notice }
        let snapshot = try snapshot(of: row, in: transaction)
        var grown: [LogKey: UInt64] = [:]
        for (key, log) in snapshot.logs where log.size > before[key] ?? 0 { grown[key] = before[key] ?? 0 }
        notice.zones.append(CommitNotice.ZoneChange(snapshot: snapshot, before: grown))
        return notice
    }

    /// Makes a zone of this account.
    func createZone(
        _ genesis: ZoneGenesis,
        in transaction: inout any NodeTransaction
    ) throws -> (zone: ZoneID, notice: CommitNotice) {
        let zone = ZoneID(genesis)
        let notice = try tracking(zone, in: &transaction) { transaction in
            try Replica.createZone(zone, genesis: genesis, tagKey: identity.tagKey(zone), in: &transaction)
            try commitControl(.genesis(genesis), zone: zone, in: &transaction)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            if let row = try transaction.zone(zone) {
                notice.zoneEvents.append((try status(of: row, in: transaction), false))
            }
            return notice
        }
        return (zone, notice)
    }

    /// Makes a zone known that a peer told of.
    /// - Throws: `NodeError` when it is not of this account, or its id is not the genesis' hash.
    func learn(
        _ zone: ZoneID,
        genesis: ZoneGenesis,
        in transaction: inout any NodeTransaction
    ) throws -> CommitNotice {
        guard ZoneID(genesis) == zone, genesis.owner == identity.account else {
            throw NodeError(.forbidden, "The zone is of another account.", fix: "Share it with this one.")
        }
        return try tracking(zone, in: &transaction) { transaction in
            let isNew = try Replica.createZone(zone, genesis: genesis, tagKey: identity.tagKey(zone), in: &transaction)
            var notice = CommitNotice()
            if isNew, let row = try transaction.zone(zone) {
                notice.number = try transaction.nextCommitNumber()
                notice.zoneEvents.append((try status(of: row, in: transaction), false))
            }
            return notice
        }
    }

    /// Deletes a zone on all devices.
    func deleteZone(
        _ zone: ZoneID,
        reason: String,
        in transaction: inout any NodeTransaction
    ) throws -> CommitNotice {
        try tracking(zone, in: &transaction) { transaction in
            try commitControl(.zoneDeletion(reason: reason), zone: zone, in: &transaction)
            var notice = CommitNotice(number: try transaction.nextCommitNumber())
            if let row = try transaction.zone(zone) {
                notice.zoneEvents.append((try status(of: row, in: transaction), true))
            }
            return notice
        }
    }
}
