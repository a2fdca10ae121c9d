import Sync
import Wire

/// The table of relays' promises to this device, and the sums of what is kept here for others.
struct CustodyTable {
    private let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) {
        self.transaction = transaction
    }

    // MARK: Promises

    func promises(about payload: PayloadID) throws -> [CustodyRow] {
        try transaction.sql(
            """
            SELECT payload, zone.bytes, relay.bytes, until, kind FROM custody
                JOIN identifier AS zone ON zone.id = custody.zone JOIN identifier AS relay ON relay.id = custody.relay
            WHERE payload = ? ORDER BY relay.bytes
            """
        ).all(payload.bytes) { try CustodyRow($0) }
    }

    func unneeded(by relay: DeviceID, limit: Int) throws -> [CustodyRow] {
        guard let relay = try transaction.number(relay.digest) else { return [] }
        return try transaction.sql(
            """
            SELECT payload, zone.bytes, relay.bytes, until, kind FROM custody INDEXED BY custody_by_relay
                JOIN identifier AS zone ON zone.id = custody.zone JOIN identifier AS relay ON relay.id = custody.relay
            WHERE kind = 1 AND custody.relay = ? AND NOT EXISTS (
                SELECT 1 FROM message INDEXED BY message_payload
                WHERE message.payload = custody.payload AND message.state = 1 AND message.settled = 0
            )
            ORDER BY payload LIMIT ?
            """
        ).all(relay, limit) { try CustodyRow($0) }
    }

    func save(_ custody: CustodyRow) throws {
        try transaction.sql(
            """
            INSERT INTO custody (payload, zone, relay, until, kind) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (payload, relay) DO UPDATE SET
                zone = excluded.zone, until = excluded.until, kind = excluded.kind
            """
        ).run(
            custody.payload.bytes,
            try transaction.intern(custody.zone.digest),
            try transaction.intern(custody.relay.digest),
            custody.storable.until,
            Int64(custody.kind.rawValue)
        )
    }

    func remove(about payload: PayloadID, by relay: DeviceID) throws {
        guard let relay = try transaction.number(relay.digest) else { return }
        try transaction.sql("DELETE FROM custody WHERE payload = ? AND relay = ?").run(payload.bytes, relay)
    }

    func relays() throws -> [DeviceID] {
        var relays: [DeviceID] = []
        var last: Int64 = -1
        // One step for each relay: each may have made very many promises.
        while let next = try transaction.sql(
            "SELECT relay FROM custody INDEXED BY custody_by_relay WHERE relay > ? ORDER BY relay LIMIT 1"
        ).first(last, read: { $0.integer(0) }) {
            relays.append(DeviceID(try transaction.digest(next)))
            last = next
        }
        return relays.sorted()
    }

    func remove(by relay: DeviceID, limit: Int) throws -> Bool {
        guard let number = try transaction.number(relay.digest) else { return false }
        let payloads = try transaction.sql(
            "SELECT payload FROM custody INDEXED BY custody_by_relay WHERE relay = ? ORDER BY kind, payload LIMIT ?"
        ).all(number, limit) { PayloadID(try $0.digest(0)) }
        for payload in payloads { try remove(about: payload, by: relay) }
        return !payloads.isEmpty
    }

    func loosen(zone: ZoneID) throws {
        guard let zone = try transaction.number(zone.digest) else { return }
        try transaction.sql("UPDATE custody SET kind = 1 WHERE zone = ? AND kind = 2").run(zone)
    }

    // MARK: Kept for others

    /// A payload that is kept for others, as far as it counts.
    struct Kept: Equatable {
        fileprivate let sender: Int64
        fileprivate let byteCount: UInt64
        fileprivate let keeping: Int64

        /// Reads the columns `sender, size, length(secret), kept_for`.
        fileprivate init(_ row: ResultRow) throws {
            sender = row.integer(0)
            let size = try row.unsigned(1)
            byteCount = row.integer(2) > 0 ? PayloadWriter.paddedByteCount(size) : size
            keeping = row.integer(3)
        }
    }

    /// The payload of a number, as far as it is kept for others and counts.
    func kept(_ number: UInt64) throws -> Kept? {
        try transaction.sql(
            """
            SELECT sender, size, length(secret), kept_for FROM payload
            WHERE number = ? AND kept_until IS NOT NULL AND state <> 4 AND sender IS NOT NULL
            """
        ).first(Int64(clamping: number)) { try Kept($0) }
    }

    /// Changes the sums with a payload.
    /// - Parameters:
    ///   - before: The payload as it counted before; `nil` where it did not.
    ///   - after: The payload as it counts now.
    /// - Throws: `StorageError`.
    func recount(_ before: Kept?, as after: Kept?) throws {
        guard before != after else { return }
        if let before { try add(-Int64(clamping: before.byteCount), to: before) }
        if let after { try add(Int64(clamping: after.byteCount), to: after) }
    }

    private func add(_ byteCount: Int64, to kept: Kept) throws {
        try transaction.sql(
            """
            INSERT INTO kept_sum (sender, kept_for, bytes) VALUES (?, ?, ?)
            ON CONFLICT (sender, kept_for) DO UPDATE SET bytes = bytes + excluded.bytes
            """
        ).run(kept.sender, kept.keeping, byteCount)
        try transaction.sql("DELETE FROM kept_sum WHERE sender = ? AND kept_for = ? AND bytes = 0")
            .run(kept.sender, kept.keeping)
    }

    func byteCounts() throws -> [DeviceID: UInt64] {
        let sums = try transaction.sql("SELECT sender, sum(bytes) FROM kept_sum GROUP BY sender")
            .all { (sender: $0.integer(0), byteCount: try $0.unsigned(1)) }
        return try sums.reduce(into: [:]) { $0[DeviceID(try transaction.digest($1.sender))] = $1.byteCount }
    }

    func recordByteCount() throws -> UInt64 {
        // One for a message is `PayloadRow.Keeping.message`.
        try transaction.sql("SELECT coalesce(sum(bytes), 0) FROM kept_sum WHERE kept_for <> 1")
            .first { try $0.unsigned(0) } ?? 0
    }
}

extension CustodyRow {
    /// Reads the columns `payload, zone.bytes, relay.bytes, until, kind`.
    fileprivate init(_ row: ResultRow) throws {
        guard let kind = UInt8(exactly: row.integer(4)).flatMap(CustodyRequest.Kind.init(rawValue:)) else {
            throw row.damage(4)
        }
        self.init(
            payload: PayloadID(try row.digest(0)),
            zone: ZoneID(try row.digest(1)),
            relay: DeviceID(try row.digest(2)),
            until: try row.unsigned(3),
            kind: kind
        )
    }
}
