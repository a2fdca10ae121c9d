import Records
import Sync
import Wire

/// Logs and their signed heads.
extension SQLiteTransaction {
    func log(_ key: LogKey) throws -> LogRow? {
        if let known = context.rows.log(key) { return known }
        guard let log = try number(key) else { return nil }
        let columns = try sql(
            """
            SELECT device, incarnation, size, byte_count, frontier, applied_size, cut_size, cut_root, fork_proof,
                "right", role, hole
            FROM log WHERE id = ? AND size IS NOT NULL
            """
        ).first(log) { try LogColumns($0) }
        let row = try columns.map { try logRow($0, key: key) }
        if let row { context.rows.note(row) }
        return row
    }

    func logs(zone: ZoneID) throws -> [LogRow] {
        if let known = context.rows.logs(of: zone) { return known }
        guard let number = try number(zone.digest) else { return [] }
        let rows = try sql(
            """
            SELECT device, incarnation, size, byte_count, frontier, applied_size, cut_size, cut_root, fork_proof,
                "right", role, hole, actor, lane
            FROM log WHERE zone = ? AND size IS NOT NULL
            """
        ).all(number) { (try LogColumns($0), $0.integer(12), $0.integer(13)) }
        let logs = try rows.map { columns, actor, lane in
            guard let raw = UInt8(exactly: lane), let lane = Lane(rawValue: raw) else {
                throw StorageError(code: .corrupt, message: "a log has the impossible lane \(lane)")
            }
            return try logRow(columns, key: LogKey(zone: zone, actor: ActorID(try digest(actor)), lane: lane))
        }.sorted { $0.key < $1.key }
        context.rows.note(logs, of: zone)
        return logs
    }

    mutating func save(_ log: LogRow) throws {
        try requireWritable()
        try log.requireStorable()
        try sql(
            """
            UPDATE log SET device = ?, incarnation = ?, size = ?, byte_count = ?, frontier = ?, applied_size = ?,
                cut_size = ?, cut_root = ?, fork_proof = ?, "right" = ?, role = ?, hole = ?
            WHERE id = ?
            """
        ).run(
            try intern(log.device.digest),
            log.incarnation.bytes,
            log.size,
            log.byteCount,
            log.frontier.encoded,
            log.appliedSize,
            log.cut?.size,
            log.cut?.root,
            log.forkProof?.encoded,
            log.right.isZero ? nil : try intern(log.right.digest),
            log.role == .owner ? nil : log.role.encoded,
            log.hole,
            try intern(log.key)
        )
        context.rows.note(log)
    }

    func heads(_ key: LogKey, above size: UInt64, limit: Int) throws -> [HeadRow] {
        if let known = context.rows.heads(key)?.heads(above: size) { return Array(known.prefix(limit)) }
        guard let log = try number(key) else { return [] }
        let heads = try sql(
            "SELECT byte_count, signed, frontier, size FROM head WHERE log = ? AND size > ? ORDER BY size LIMIT ?"
        ).all(log, Int64(clamping: size), limit) { try headRow($0, of: key) }
        if heads.count < limit { context.rows.note(heads, above: size, of: key) }
        return heads
    }

    func head(_ key: LogKey, atOrBelow size: UInt64) throws -> HeadRow? {
        if let known = context.rows.heads(key)?.head(atOrBelow: size) { return known }
        guard let log = try number(key) else { return nil }
        let found = try sql(
            """
            SELECT byte_count, signed, frontier, size, size = (SELECT max(size) FROM head WHERE log = ?1)
            FROM head WHERE log = ?1 AND size <= ?2 ORDER BY size DESC LIMIT 1
            """
        ).first(log, Int64(clamping: size)) { (try headRow($0, of: key), $0.integer(4) != 0) }
        if let (head, isNewest) = found, isNewest {
            context.rows.note(newest: head, of: key)
        } else {
            context.rows.noteRead(found?.0, atOrBelow: size, of: key)
        }
        return found?.0
    }

    mutating func insert(_ head: HeadRow, key: LogKey) throws {
        try requireWritable()
        try head.requireStorable()
        try sql("INSERT INTO head (log, size, byte_count, signed, frontier) VALUES (?, ?, ?, ?, ?)")
            .run(try intern(key), head.size, head.byteCount, head.signed.encoded, head.frontier.encoded)
        context.rows.noteInsertion(of: head, in: key)
    }

    mutating func deleteHeads(_ key: LogKey, sizes: [UInt64]) throws {
        try requireWritable()
        guard let log = try number(key) else { return }
        context.rows.noteDeletion(ofHeads: sizes, in: key)
        for size in sizes {
            try sql("DELETE FROM head WHERE log = ? AND size = ?").run(log, Int64(clamping: size))
        }
    }

    private func headRow(_ row: ResultRow, of key: LogKey) throws -> HeadRow {
        let byteCount = try row.unsigned(0)
        let head = try decoding("head") { () throws(WireError) in
            HeadRow(
                signed: try SignedTreeHead(decoding: row.bytes(1)),
                byteCount: byteCount,
                frontier: try TreeFrontier(decoding: row.bytes(2))
            )
        }
        guard try row.unsigned(3) == head.size else { throw row.damage(3) }
        return try undamaged(head, "head", "the head at \(head.size) of \(key)")
    }

    private func logRow(_ columns: LogColumns, key: LogKey) throws -> LogRow {
        let device = DeviceID(try digest(columns.device))
        let right = try columns.right.map { Hash(try digest($0)) } ?? .zero
        let row = try decoding("log") { () throws(WireError) in
            guard let incarnation = Incarnation(columns.incarnation) else { throw .invalidValue("incarnation") }
            return LogRow(
                key: key,
                device: device,
                incarnation: incarnation,
                right: right,
                size: columns.size,
                byteCount: columns.byteCount,
                frontier: try TreeFrontier(decoding: columns.frontier),
                appliedSize: columns.appliedSize,
                role: columns.role.isEmpty ? .owner : try LogRole(decoding: columns.role),
                cut: columns.cut,
                forkProof: columns.forkProof.isEmpty ? nil : try ForkProof(decoding: columns.forkProof),
                hole: columns.hole
            )
        }
        return try undamaged(row, "log", "\(key)")
    }
}

/// The columns of one row of `log`, in the order in which the statements above select them.
private struct LogColumns {
    var device: Int64
    var incarnation: [UInt8]
    var size: UInt64
    var byteCount: UInt64
    var frontier: [UInt8]
    var appliedSize: UInt64
    var cut: LogCut?
    /// Empty when there is none.
    var forkProof: [UInt8]
    /// Missing for the account that the genesis names.
    var right: Int64?
    /// Empty for the owner.
    var role: [UInt8]
    /// Missing in nearly all logs.
    var hole: UInt64?

    init(_ row: ResultRow) throws {
        device = row.integer(0)
        incarnation = row.bytes(1)
        size = try row.unsigned(2)
        byteCount = try row.unsigned(3)
        frontier = row.bytes(4)
        appliedSize = try row.unsigned(5)
        cut = row.isNull(6) ? nil : LogCut(size: try row.unsigned(6), root: Hash(try row.digest(7)))
        forkProof = row.bytes(8)
        right = row.isNull(9) ? nil : row.integer(9)
        role = row.bytes(10)
        hole = row.isNull(11) ? nil : try row.unsigned(11)
    }
}
