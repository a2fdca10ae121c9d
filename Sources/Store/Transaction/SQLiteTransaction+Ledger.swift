import Records
import Sync
import Wire

/// Facts about the store as a whole.
///
/// They are held in memory while a transaction runs and written once at its end, in the same transaction.
extension SQLiteTransaction {
    mutating func nextCommitNumber() throws -> UInt64 {
        try requireWritable()
        var ledger = try ledger()
        ledger.commitNumber += 1
        setLedger(ledger)
        return ledger.commitNumber
    }

    func commitNumber() throws -> UInt64 { try ledger().commitNumber }

    func clock() throws -> HybridClock {
        guard let bytes = try ledger().clock else { return HybridClock() }
        return try decoding("clock") { () throws(WireError) in
            var reader = WireReader(bytes)
            return HybridClock(latest: HybridTime(raw: try reader.readUInt64()))
        }
    }

    mutating func save(_ clock: HybridClock) throws {
        try requireWritable()
        var writer = WireWriter(capacity: 8)
        writer.writeUInt64(clock.latest.raw)
        var ledger = try ledger()
        ledger.clock = writer.bytes
        setLedger(ledger)
    }

    func incarnation() throws -> Incarnation? {
        guard let bytes = try ledger().incarnation else { return nil }
        guard let incarnation = Incarnation(bytes) else {
            throw StorageError(code: .corrupt, message: "the incarnation is damaged")
        }
        return incarnation
    }

    mutating func save(_ incarnation: Incarnation) throws {
        try requireWritable()
        var ledger = try ledger()
        ledger.incarnation = incarnation.bytes
        setLedger(ledger)
    }

    func feedIdentity() throws -> [UInt8] {
        let bytes = try sql("SELECT feed_identity FROM store").first { $0.bytes(0) }
        guard let bytes else { throw StorageError(code: .corrupt, message: "the store row is missing") }
        return bytes
    }

    /// The facts as this transaction sees them.
    func ledger() throws -> Ledger {
        if let known = context.ledger { return known }
        let read = try sql(
            """
            SELECT commit_number, change_position, clock, incarnation, inbox_position, message_number, payload_number
            FROM store
            """
        ).first { row in
            Ledger(
                commitNumber: try row.unsigned(0),
                changePosition: try row.unsigned(1),
                clock: row.isNull(2) ? nil : row.bytes(2),
                incarnation: row.isNull(3) ? nil : row.bytes(3),
                inboxPosition: try row.unsigned(4),
                messageNumber: try row.unsigned(5),
                payloadNumber: try row.unsigned(6)
            )
        }
        guard let read else { throw StorageError(code: .corrupt, message: "the store row is missing") }
        context.ledger = read
        return read
    }

    /// Replaces the facts.
    func setLedger(_ ledger: Ledger) {
        context.ledger = ledger
        context.ledger?.isChanged = true
    }

    /// Writes the values held in memory; the last step before COMMIT.
    func flush() throws {
        if let ledger = context.ledger, ledger.isChanged {
            try sql(
                """
                UPDATE store SET commit_number = ?, change_position = ?, clock = ?, incarnation = ?, inbox_position = ?,
                    message_number = ?, payload_number = ?
                """
            ).run(
                ledger.commitNumber,
                ledger.changePosition,
                ledger.clock,
                ledger.incarnation,
                ledger.inboxPosition,
                ledger.messageNumber,
                ledger.payloadNumber
            )
        }
        for (zone, change) in context.recordChanges {
            try sql(
                """
                INSERT INTO zone (id, record_count, record_bytes, reserved_count, reserved_bytes, message_bytes)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET record_count = record_count + excluded.record_count,
                    record_bytes = record_bytes + excluded.record_bytes,
                    reserved_count = reserved_count + excluded.reserved_count,
                    reserved_bytes = reserved_bytes + excluded.reserved_bytes,
                    message_bytes = message_bytes + excluded.message_bytes
                    WHERE excluded.record_count <> 0 OR excluded.record_bytes <> 0 OR excluded.reserved_count <> 0
                        OR excluded.reserved_bytes <> 0 OR excluded.message_bytes <> 0
                """
            ).run(
                zone,
                change.count,
                change.byteCount,
                change.reservedCount,
                change.reservedByteCount,
                change.messageByteCount
            )
        }
    }
}
