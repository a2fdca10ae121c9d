import Sodium
import Wire

/// A zone's logs as read at the beginning of a piece of work, with what is decided from all of them together.
struct ZoneLogs {
    var zone: ZoneRow
    /// Ascending by key, as a store hands them out: a zone may have thousands, and this is made with each thing that is done to it.
    private(set) var rows: [LogRow]
    /// The schema that records of the zone have to match; nil in development.
    let production: ProductionSchema?
    /// The types in whose records the value that is shown stands alone.
    let latestTypes: Set<BytewiseString>
    /// How long control logs may be.
    let controlBounds: ControlBudget.Bounds

    init(zone: ZoneRow, in transaction: some ReplicaTransaction) throws {
        self.zone = zone
        controlBounds = transaction.controlBounds
        production = try zone.productionSchema()
        latestTypes = Set(production?.schema.types.filter { $0.conflicts == .latest }.map(\.name) ?? [])
        rows = try transaction.logs(zone: zone.id)
        assert(
            zip(rows, rows.dropFirst()).allSatisfy { $0.key < $1.key },
            "a store hands out the logs of a zone ascending by key"
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

    /// Where a log stands, or would.
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
        Replica.effectiveLimit(row, zone: zone, controlBounds)
    }

    /// Where the cut of a log is alone, whatever its histories are: nowhere unless its device or its right was ended.
    func cutLimit(_ row: LogRow) -> UInt64 {
        row.cut.map { max($0.size, zone.watermark[row.key.actor]) } ?? .max
    }

    /// How many leaves of a log count in records at most: of one with two histories never more than both have in common.
    ///
    /// A checkpoint may cover more of one history. All then hold that one, so that they agree on the checkpoint, but a
    /// vector that names something behind the fork may mean the other, so nothing there counts; it is restated instead.
    func recordLimit(_ row: LogRow) -> UInt64 {
        min(limit(row), row.forkProof?.forkPoint ?? .max)
    }

    /// The state of a leaf that comes in behind all that counts.
    ///
    /// Of the history that a checkpoint covers, those restate it for whom it counted when the fork became known. Who gets
    /// it afterwards cannot know whether its restatement was superseded meanwhile.
    func stateBehind(_ row: LogRow, first: UInt64) -> OperationState {
        first < limit(row) ? .restated : .quarantined
    }

    /// Whether a checkpoint's logs are all applied here, and count, as far as it covers them.
    func covers(_ checkpoint: Checkpoint) -> Bool {
        checkpoint.logs.allSatisfy { log in
            // The checkpoint's entry for a control log makes that log's content final, and nothing here depends on
            // holding it.
            guard log.lane == .data else { return true }
            guard log.size > 0 else { return true }
            guard let row = self[LogKey(zone: zone.id, actor: log.actor, lane: log.lane)] else { return false }
            // An ineffective part is not covered either, in case the checkpoint's author does not stand. Of two
            // histories the roots decide.
            return (row.isForked ? row.appliedSize : appliedSize(row)) >= log.size
        }
    }

    /// How many leaves of a log are held and count.
    func countedSize(_ row: LogRow) -> UInt64 { min(row.heldSize, limit(row)) }

    /// The place from which missing operations of a log were purged, and not pruned under a checkpoint.
    func gapEnd(_ row: LogRow) -> UInt64 { min(limit(row), row.hole ?? .max) }

    /// How many leaves of a log are applied, up to its end.
    func appliedSize(_ row: LogRow) -> UInt64 { min(row.appliedSize, limit(row)) }

    /// How many leaves of a control log are applied and have an effect.
    func effectiveSize(_ row: LogRow) -> UInt64 {
        guard case .ended(_, let size) = row.role else { return appliedSize(row) }
        return min(appliedSize(row), size)
    }

    /// How many leaves of a log are applied and count in records.
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
        PlantedBug.trustArrivalOrder.isActive
            || seen.entries.allSatisfy { dot in
                guard let row = self[LogKey(zone: zone.id, actor: dot.actor, lane: lane)] else { return false }
                return size(row) >= min(dot.counter, limit(row))
            }
    }

    /// Where the data logs end that have two histories.
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
