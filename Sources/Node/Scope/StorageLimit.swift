import Records
import Sync
import Wire

/// The limit on the bytes that one caller of the interface may store.
struct StorageLimit: Sendable {
    /// The zones of the caller; their scope states the limit.
    let zones: VisibleZones

    private var byteCountMax: UInt64? { zones.scope.byteCountMax }

    /// Runs a change of a zone's records and refuses it if the caller would then store more than it may.
    ///
    /// A change that makes the records no larger is never refused: how else would a caller over its limit get below
    /// it. The cost does not grow with the records, only with the zones of the store, and only for a caller that has
    /// a limit.
    /// - Parameters:
    ///   - zone: The zone that changes.
    ///   - transaction: The store.
    ///   - body: The change.
    /// - Returns: The value of the body.
    /// - Throws: `NodeError` `storageLimit`, by which the change is undone; the errors of the body.
    func keep<Value>(
        zone: ZoneID,
        in transaction: inout any NodeTransaction,
        _ body: (inout any NodeTransaction) throws -> Value
    ) throws -> Value {
        guard let limit = byteCountMax else { return try body(&transaction) }
        let before = try transaction.limitedByteCount(zone: zone)
        let value = try body(&transaction)
        guard try transaction.limitedByteCount(zone: zone) > before else { return value }
        let total = try storedByteCount(in: transaction)
        guard total > limit else { return value }
        throw NodeError.overLimit(total, of: limit)
    }

    /// Refuses writes that a peer is to make for the caller if they would exceed the caller's limit: they come here
    /// too.
    func check(adding writes: [RecordWrite], in transaction: any NodeTransaction) throws {
        guard writes.contains(where: { !$0.delete }) else { return }
        try check(adding: 0, in: transaction)
    }

    /// Refuses an upload of the caller if it would exceed the caller's limit, or the limit is reached already.
    /// - Parameters:
    ///   - byteCount: The bytes of the upload that are not counted yet.
    ///   - transaction: The store.
    /// - Throws: `NodeError` `storageLimit`.
    func check(adding byteCount: UInt64, in transaction: any NodeTransaction) throws {
        guard let limit = byteCountMax else { return }
        let total = try storedByteCount(in: transaction)
        guard total >= limit || byteCount > limit - total else { return }
        throw NodeError.overLimit(total + byteCount, of: limit)
    }

    /// Refuses a change of the caller's uploads by which it exceeds its limit; the change is undone then.
    func check(in transaction: any NodeTransaction) throws {
        guard let limit = byteCountMax else { return }
        let total = try storedByteCount(in: transaction)
        if total > limit { throw NodeError.overLimit(total, of: limit) }
    }

    /// Returns the bytes of the caller's records, with its messages and without the records that daemons write about
    /// these, and of the payloads that were uploaded here for its zones.
    func storedByteCount(in transaction: any NodeTransaction) throws -> UInt64 {
        let payloads = try transaction.handedInByteCounts()
        return try zones.all(in: transaction).reduce(0) { sum, row in
            // A deleted zone's records are not included; a payload that is still kept for it is.
            let records = row.isDeleted ? 0 : try transaction.limitedByteCount(zone: row.id)
            return sum + records + (payloads[row.id] ?? 0)
        }
    }
}

extension NodeError {
    /// The error for a caller that stores, or would store, more than it may.
    static func overLimit(_ total: UInt64, of limit: UInt64) -> NodeError {
        NodeError(
            .storageLimit,
            "The application's records and payloads would have \(total) bytes; \(limit) are allowed.",
            fix: "Delete records or zones, or have the administrator raise storage-limit in the application's file.",
            facts: [.limit(Int(clamping: limit))]
        )
    }
}
