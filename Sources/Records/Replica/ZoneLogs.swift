import Sodium
import Wire

/// A zone's logs as read at the beginning of a piece of work, with the facts that are derived from all of them
/// together.
struct ZoneLogs {
    var zone: ZoneRow
    /// The logs ascending by key, as a store returns them: a zone may have thousands, and each call on the zone reads
    /// them.
    private(set) var rows: [LogRow]
    /// The schema that records of the zone have to match; nil in development.
    let production: ProductionSchema?
    /// The types whose records keep only the shown value.
    let latestTypes: Set<BytewiseString>
    /// The bounds of control logs.
    let controlBounds: ControlBudget.Bounds

    init(zone: ZoneRow, in transaction: some ReplicaTransaction) throws {
        self.zone = zone
        controlBounds = transaction.controlBounds
        production = try zone.productionSchema()
        latestTypes = Set(production?.schema.types.filter { $0.conflicts == .latest }.map(\.name) ?? [])
        rows = try transaction.logs(zone: zone.id)
        assert(
            zip(rows, rows.dropFirst()).allSatisfy { $0.key < $1.key },
            "a store returns the logs of a zone ascending by key"
        )
    }

    subscript(key: LogKey) -> LogRow? {
        get {
            let index = place(of: key)
            return index < rows.count && rows[index].key == key ? rows[index] : nil
        }
        set {
            let index = place(of: key)
            let isThere = index < rows.count && rows[index].key == key
            switch newValue {
            case let row? where isThere: rows[index] = row
            case let row?: rows.insert(row, at: index)
            case nil: if isThere { rows.remove(at: index) }
            }
        }
    }

    /// The index of a log, or the one at which it would be inserted.
    private func place(of key: LogKey) -> Int {
        rows.partitioningIndex { $0.key < key }
    }

    /// The logs of a lane, ascending by actor.
    func sorted(_ lane: Lane) -> [LogRow] {
        rows.filter { $0.key.lane == lane }
    }

    /// The size at which a log ends; `.max` for a data log that is neither cut nor forked.
    ///
    /// A size that a checkpoint made final stays final, whatever a later cut says.
    func limit(_ row: LogRow) -> UInt64 {
        row.effectiveLimit(in: zone, controlBounds)
    }

    /// The size at which a log is cut, whatever its histories are; `.max` unless its device or its right was removed.
    func cutLimit(_ row: LogRow) -> UInt64 {
        row.cut.map { max($0.size, zone.watermark[row.key.actor]) } ?? .max
    }

    /// The maximum number of a log's leaves that are effective in records: for a log with two histories never more
    /// than both have in common.
    ///
    /// A checkpoint may cover more of one history. All replicas then hold that one, so that they agree on the
    /// checkpoint. But a vector that names an operation behind the fork may mean the other history, so no operation
    /// there is effective; it is restated instead.
    func recordLimit(_ row: LogRow) -> UInt64 {
        min(limit(row), row.forkProof?.forkPoint ?? .max)
    }

    /// The state of a leaf that arrives behind all effective ones.
    ///
    /// The history that a checkpoint covers is restated by the replicas on which it was effective when the fork
    /// became known. A replica that receives it afterwards cannot know whether its restatement was superseded
    /// meanwhile.
    func stateBehind(_ row: LogRow, first: UInt64) -> OperationState {
        first < limit(row) ? .restated : .quarantined
    }

    /// Whether a checkpoint's logs are all applied and effective here, as far as it covers them.
    func covers(_ checkpoint: Checkpoint) -> Bool {
        checkpoint.logs.allSatisfy { log in
            // The checkpoint's entry for a control log makes that log's content final, and nothing here depends on
            // holding it.
            log.lane != .data || haveApplied(log.size, of: log.actor)
        }
    }

    /// Whether a part of a data log is applied and effective here.
    ///
    /// An ineffective part does not count, in case the author of the checkpoint that covers it does not stand: adopting
    /// a checkpoint makes final what it covers. Behind a fork the roots decide which history is meant, and the cut
    /// whether the part may be final.
    func haveApplied(_ size: UInt64, of actor: ActorID) -> Bool {
        guard size > 0 else { return true }
        guard let row = self[LogKey(zone: zone.id, actor: actor, lane: .data)] else { return false }
        guard row.isForked else { return appliedSize(row) >= size }
        // The adopted part stays final where the watermark leaves it out, since another history is held.
        let end = max(cutLimit(row), zone.adopted?.size(row.key.actorLane) ?? 0)
        return min(row.appliedSize, end) >= size
    }

    /// The number of a log's leaves that are held and effective.
    func countedSize(_ row: LogRow) -> UInt64 { min(row.heldSize, limit(row)) }

    /// The place from which missing operations of a log were purged, and not pruned under a checkpoint.
    func gapEnd(_ row: LogRow) -> UInt64 { min(limit(row), row.hole ?? .max) }

    /// The number of a log's leaves that are applied, up to its end.
    func appliedSize(_ row: LogRow) -> UInt64 { min(row.appliedSize, limit(row)) }

    /// The number of a control log's leaves that are applied and effective.
    func effectiveSize(_ row: LogRow) -> UInt64 {
        guard case .ended(_, let size) = row.role else { return appliedSize(row) }
        return min(appliedSize(row), size)
    }

    /// The number of a log's leaves that are applied and effective in records.
    func recordSize(_ row: LogRow) -> UInt64 { min(row.appliedSize, recordLimit(row)) }

    /// Whether everything that a head's author had seen is held here.
    ///
    /// The part above the end of a log that was cut or forked is not waited for.
    func isReady(_ seen: VersionVector, _ lane: Lane) -> Bool {
        isReady(seen, lane) { $0.heldSize }
    }

    /// Whether everything that a head's author had seen is applied here; else its operations wait.
    func isApplied(_ seen: VersionVector, _ lane: Lane) -> Bool {
        isReady(seen, lane) { $0.appliedSize }
    }

    /// Whether everything that a head's author had seen is within some part of each log.
    func isReady(_ seen: VersionVector, _ lane: Lane, within size: (LogRow) -> UInt64) -> Bool {
        seen.entries.allSatisfy { dot in
            guard let row = self[LogKey(zone: zone.id, actor: dot.actor, lane: lane)] else { return false }
            return size(row) >= min(dot.counter, limit(row))
        }
    }

    /// The ends of the data logs that have two histories.
    var forkPoints: ForkPoints {
        var sizes: [ActorID: UInt64] = [:]
        var covered: [ActorID: UInt64] = [:]
        for row in rows where row.isForked && row.key.lane == .data {
            sizes[row.key.actor] = recordLimit(row)
            covered[row.key.actor] = limit(row)
        }
        return ForkPoints(sizes, covered: covered)
    }

    /// The sizes an author of this replica may claim to have seen.
    func seen(_ lane: Lane, except actor: ActorID) -> VersionVector {
        VersionVector(
            covering: rows.lazy
                .filter { $0.key.lane == lane && $0.key.actor != actor && $0.role != .unknown }
                .map { Dot(actor: $0.key.actor, counter: appliedSize($0)) }
        )
    }

    /// The reference to the control log in a write's header: the last promotion of a schema, so that every replica
    /// can tell that the author knew it; before the first promotion, the heads.
    var promotionSeen: Hash { production?.last ?? controlHeads }

    /// The hash of the control logs as they are applied.
    var controlHeads: Hash {
        var writer = WireWriter(capacity: 128)
        for row in sorted(.control) where row.size > 0 && row.role != .unknown {
            writer.write(row.key.actor)
            writer.writeVarint(row.size)
            writer.write(row.frontier.root)
        }
        return writer.bytes.isEmpty ? .zero : Hash(digesting: .controlHeads, writer.bytes)
    }
}
