import Sync
import Wire

/// Relays' custody of payloads for others.
extension SQLiteTransaction {
    func custodies(of payload: PayloadID) throws -> [CustodyRow] {
        try sql(
            """
            SELECT payload, zone.bytes, relay.bytes, until FROM custody
                JOIN identifier AS zone ON zone.id = custody.zone JOIN identifier AS relay ON relay.id = custody.relay
            WHERE payload = ? ORDER BY relay.bytes
            """
        ).all(payload.bytes) { try CustodyRow($0) }
    }

    func unneededCustodies(limit: Int) throws -> [CustodyRow] {
        try sql(
            """
            SELECT payload, zone.bytes, relay.bytes, until FROM custody
                JOIN identifier AS zone ON zone.id = custody.zone JOIN identifier AS relay ON relay.id = custody.relay
            WHERE NOT EXISTS (
                SELECT 1 FROM message INDEXED BY message_payload
                WHERE message.payload = custody.payload AND message.state = 1 AND message.settled = 0
            )
            ORDER BY payload, relay.bytes LIMIT ?
            """
        ).all(limit) { try CustodyRow($0) }
    }

    mutating func save(_ custody: CustodyRow) throws {
        try requireWritable()
        try sql(
            """
            INSERT INTO custody (payload, zone, relay, until) VALUES (?, ?, ?, ?)
            ON CONFLICT (payload, relay) DO UPDATE SET until = excluded.until
            """
        ).run(
            custody.payload.bytes,
            try intern(custody.zone.digest),
            try intern(custody.relay.digest),
            custody.storable.until
        )
    }

    mutating func removeCustody(of payload: PayloadID, by relay: DeviceID) throws {
        try requireWritable()
        guard let relay = try number(relay.digest) else { return }
        try sql("DELETE FROM custody WHERE payload = ? AND relay = ?").run(payload.bytes, relay)
    }

    func custodyByteCounts() throws -> [DeviceID: UInt64] {
        let kept = try sql(
            """
            SELECT sender, size, length(secret) FROM payload INDEXED BY payload_kept
            WHERE kept_until IS NOT NULL AND state <> 4 AND sender IS NOT NULL
            """
        ).all { (sender: $0.integer(0), size: try $0.unsigned(1), isOpenable: $0.integer(2) > 0) }
        return try kept.reduce(into: [:]) { counts, row in
            let count = row.isOpenable ? PayloadWriter.paddedByteCount(row.size) : row.size
            counts[DeviceID(try digest(row.sender)), default: 0] &+= count
        }
    }
}

extension CustodyRow {
    fileprivate init(_ row: ResultRow) throws {
        self.init(
            payload: PayloadID(try row.digest(0)),
            zone: ZoneID(try row.digest(1)),
            relay: DeviceID(try row.digest(2)),
            until: try row.unsigned(3)
        )
    }
}
