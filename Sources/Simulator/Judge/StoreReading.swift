package import Records
import Sync
import Wire

/// The part of a log that is applied in a store, and the part of it that is effective.
package struct LogReach: Equatable, Sendable {
    /// Leaves held.
    package var size: UInt64
    /// Leaves applied.
    package var applied: UInt64
    /// The most leaves that may be held without being the wrong ones.
    package var limit: UInt64
    /// The place where the log's histories diverge, if it shows two.
    package var forkPoint: UInt64?
    /// The role of its author.
    package var role = LogRole.owner

    /// The reach of a log that is not held.
    static let absent = LogReach(size: 0, applied: 0, limit: .max)

    /// Whether the log shows two histories.
    package var isForked: Bool { forkPoint != nil }
    /// The most leaves that may be effective: none behind a fork, even under a checkpoint.
    package var end: UInt64 { min(limit, forkPoint ?? .max) }
    /// Leaves that are applied and effective.
    package var counted: UInt64 { min(applied, end) }
}

extension NodeTransaction {
    /// The reach of every log of a zone.
    ///
    /// The limit is read from the rows: whether they agree with the account is checked elsewhere.
    func reaches(zone: ZoneRow) throws -> [LogKey: LogReach] {
        try logs(zone: zone.id).reduce(into: [:]) { reaches, row in
            let watermark = row.key.lane == .data ? zone.watermark[row.key.actor] : 0
            let end = min(row.cut?.size ?? .max, row.forkProof?.forkPoint ?? .max)
            reaches[row.key] = LogReach(
                size: row.size,
                applied: row.appliedSize,
                limit: max(end, watermark),
                forkPoint: row.forkProof?.forkPoint,
                role: row.role
            )
        }
    }

    /// The records of a zone that exist, by tag.
    func visibleRecords(zone: ZoneID) throws -> [RecordTag: ReferenceRecord] {
        var shown: [RecordTag: ReferenceRecord] = [:]
        var after: String?
        while true {
            let page = try records(zone: zone, after: after, limit: 1_000)
            for row in page.records { shown[row.tag] = try ReferenceRecord(row) }
            guard page.more, let last = page.records.last else { return shown }
            after = last.name
        }
    }

    /// Whether a record still shows operations that were pruned under a checkpoint: until the successor comes, or until
    /// the zone is complete and the record's turn to be withdrawn has come (docs/protocol/logs.md).
    func isAwaitingSuccessor(_ tag: RecordTag, zone: ZoneRow) throws -> Bool {
        guard let row = try record(zone: zone.id, tag: tag), row.live.isEmpty, !row.isDeleted else { return false }
        if zone.isUnverified { return true }
        guard let place = try CheckpointUpkeep.withdrawalPlace(zone.id, in: self) else { return false }
        return place < row.name
    }

    /// The complete operation at a place; `nil` for a gap, or nothing.
    func operation(at place: OperationLibrary.Place) throws -> Operation? {
        let found = try items(place.key, from: place.counter - 1, to: place.counter)
        guard case .operation(let stored) = found.first?.content else { return nil }
        return stored.operation
    }
}

extension MemoryStore {
    /// Whether a log holds purged operations, of which only the hashes remain, at or behind a place
    /// above its cut.
    func isPurged(_ key: LogKey, at size: UInt64) throws -> Bool {
        guard let row = try log(key), let cut = row.cut, size >= cut.size else { return false }
        return try items(key, from: size, to: row.size).contains { item in
            if case .gap = item.content { true } else { false }
        }
    }

    /// Whether a store holds an operation at a place.
    func holds(_ place: OperationLibrary.Place) -> Bool {
        // A store in memory throws nothing here; if it did, it would hold nothing.
        guard let row = try? log(place.key) else { return false }
        return row.size >= place.counter
    }
}
