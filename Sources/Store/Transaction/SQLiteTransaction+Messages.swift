import Records
import Sync
import Wire

/// Messages, as they stand on this device.
extension SQLiteTransaction {
    func messageChanges(after position: UInt64, limit: Int) throws -> [ChangeRow] {
        let records = try sql(MessageStatements.changes).all(Int64(clamping: position), limit) { $0.integer(0) }
        return try records.map { try change(record: $0) }
    }

    func message(_ id: MessageID) throws -> MessageRow? {
        try sql(
            """
            SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
            FROM message WHERE id = ?
            """
        ).first(id.bytes) { try MessageColumns($0) }.map { try message($0) }
    }

    func messages(zone: ZoneID, after number: UInt64, limit: Int) throws -> [MessageRow] {
        guard let zone = try self.number(zone.digest) else { return [] }
        return try sql(
            """
            SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
            FROM message INDEXED BY message_by_zone WHERE zone = ? AND number > ? ORDER BY number LIMIT ?
            """
        ).all(zone, Int64(clamping: number), limit) { try MessageColumns($0) }.map { try message($0) }
    }

    func waitingMessages(after number: UInt64, limit: Int) throws -> [MessageRow] {
        try sql(
            """
            SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
            FROM message INDEXED BY message_waiting WHERE state = 2 AND number > ? ORDER BY number LIMIT ?
            """
        ).all(Int64(clamping: number), limit) { try MessageColumns($0) }.map { try message($0) }
    }

    func messages(zone: ZoneID, of section: ReceiptSection, limit: Int) throws -> [MessageRow] {
        guard let zone = try number(zone.digest), let actor = try number(section.actor.digest) else { return [] }
        let counters = section.counters
        return try sql(
            """
            SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
            FROM message INDEXED BY message_by_place WHERE zone = ? AND actor = ? AND counter BETWEEN ? AND ?
            ORDER BY counter, number LIMIT ?
            """
        ).all(zone, actor, Int64(clamping: counters.lowerBound), Int64(clamping: counters.upperBound), limit) {
            try MessageColumns($0)
        }.map { try message($0) }
    }

    func zonesOwingAnswers() throws -> [ZoneID] {
        var zones: [ZoneID] = []
        var last = Int64(0)
        while true {
            let next = try sql("SELECT min(zone) FROM message INDEXED BY message_owing WHERE owes = 1 AND zone > ?")
                .first(last) { $0.isNull(0) ? 0 : $0.integer(0) }
            guard let next, next > last else { return zones.sorted() }
            zones.append(ZoneID(try digest(next)))
            last = next
        }
    }

    func messagesOwingAnswers(zone: ZoneID, onlySent: Bool, limit: Int) throws -> [MessageRow] {
        guard let zone = try number(zone.digest) else { return [] }
        return try sql(onlySent ? MessageStatements.owingSent : MessageStatements.owing)
            .all(zone, limit) { try MessageColumns($0) }.map { try message($0) }
    }

    func heldMessages(since times: ClosedRange<UInt64>, limit: Int) throws -> [MessageRow] {
        try sql(MessageStatements.held)
            .all(Int64(clamping: times.lowerBound), Int64(clamping: times.upperBound), limit) { try MessageColumns($0) }
            .map { try message($0) }
    }

    func expiredMessages(at milliseconds: UInt64, limit: Int) throws -> [MessageRow] {
        try sql(MessageStatements.expired)
            .all(Int64(clamping: milliseconds), limit) { try MessageColumns($0) }.map { try message($0) }
    }

    mutating func save(_ message: MessageRow) throws {
        try requireWritable()
        let message = try message.storable()
        try sql(
            """
            INSERT INTO message
                (number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET
                number = excluded.number, actor = excluded.actor, counter = excluded.counter,
                state = excluded.state, expires = excluded.expires, owes = excluded.owes,
                secret = excluded.secret, payload = excluded.payload, settled = excluded.settled, held = excluded.held
            """
        ).run(
            message.number,
            message.id.bytes,
            try intern(message.zone.digest),
            message.tag.bytes,
            try intern(message.place.actor.digest),
            message.place.counter,
            Int64(message.state.rawValue),
            message.expires,
            message.owesAnswer,
            message.secret.map { context.secrets.sealed($0.bytes, for: Self.place(message.id)) },
            message.payload?.bytes,
            message.isSettled,
            message.heldSince
        )
    }

    func messages(with payload: PayloadID) throws -> [MessageRow] {
        try sql(
            """
            SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
            FROM message INDEXED BY message_payload WHERE payload = ? ORDER BY number
            """
        ).all(payload.bytes) { try MessageColumns($0) }.map { try message($0) }
    }

    func unsettledMessages(limit: Int) throws -> [MessageRow] {
        try sql(
            """
            SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
            FROM message INDEXED BY message_unsettled WHERE state = 1 AND payload IS NOT NULL AND settled = 0
            ORDER BY number LIMIT ?
            """
        ).all(limit) { try MessageColumns($0) }.map { try message($0) }
    }

    mutating func removeMessage(_ id: MessageID) throws {
        try requireWritable()
        try sql("DELETE FROM message WHERE id = ?").run(id.bytes)
    }

    func failedMessageCount() throws -> Int {
        try sql("SELECT count(*) FROM message INDEXED BY message_failed WHERE state = 5")
            .first { Int($0.integer(0)) } ?? 0
    }

    /// The bytes that bind a secret to its message.
    private static func place(_ id: MessageID) -> [UInt8] { Array("message".utf8) + id.bytes }

    private func message(_ columns: MessageColumns) throws -> MessageRow {
        let row = MessageRow(
            id: columns.id,
            number: columns.number,
            zone: ZoneID(try digest(columns.zone)),
            tag: columns.tag,
            place: Dot(actor: ActorID(try digest(columns.actor)), counter: columns.counter),
            state: columns.state,
            expires: columns.expires,
            owesAnswer: columns.owesAnswer,
            secret: try columns.secret.flatMap {
                StoredSecret(try context.secrets.opened($0, for: Self.place(columns.id)))
            },
            payload: columns.payload,
            isSettled: columns.isSettled,
            heldSince: columns.heldSince
        )
        return try undamaged(row, "message", "message \(row.number)")
    }
}
