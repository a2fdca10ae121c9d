import Queries
import Sync
import Wire

/// The node's notes about its zones, logs and devices.
extension SQLiteTransaction {
    func upkeep(zone: ZoneID) throws -> UpkeepRow {
        var row = UpkeepRow(zone: zone)
        guard let number = try number(zone.digest) else { return row }
        let stored = try sql(
            """
            SELECT turn_count, pruned_under, checkpoint_made, checkpoint_held, statements_held, withdrawal
            FROM upkeep WHERE zone = ?
            """
        ).first(number) { columns in
            row.turnCount = try columns.unsigned(0)
            row.prunedUnder = columns.isNull(1) ? nil : Hash(try columns.digest(1))
            row.checkpointMilliseconds = try columns.unsigned(2)
            row.checkpointHeldSince = columns.isNull(3) ? nil : try columns.unsigned(3)
            row.statementsHeldSince = columns.isNull(4) ? nil : try columns.unsigned(4)
            row.withdrawalPlace = columns.isNull(5) ? nil : columns.text(5)
            return row
        }
        return stored ?? row
    }

    mutating func save(_ upkeep: UpkeepRow) throws {
        try requireWritable()
        let row = upkeep.storable
        try sql(
            """
            INSERT OR REPLACE INTO upkeep
                (zone, turn_count, pruned_under, checkpoint_made, checkpoint_held, statements_held, withdrawal)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        ).run(
            try intern(row.zone.digest),
            row.turnCount,
            row.prunedUnder?.bytes,
            row.checkpointMilliseconds,
            row.checkpointHeldSince,
            row.statementsHeldSince,
            row.withdrawalPlace
        )
    }

    func feedMark(_ zone: ZoneID) throws -> FeedMark? {
        guard let number = try number(zone.digest) else { return nil }
        return try sql("SELECT place, changed, entered FROM feed_mark WHERE zone = ?").first(number) { row in
            guard let place = UInt8(exactly: row.integer(0)).flatMap(ZonePlace.init(rawValue:)) else {
                throw row.damage(0)
            }
            let mark = FeedMark(place: place, changed: try row.unsigned(1), entered: try row.unsigned(2))
            return try undamaged(mark, "feed_mark", "the zone \(zone.shortText)")
        }
    }

    func newestFeedMark() throws -> UInt64 {
        try sql("SELECT changed FROM feed_mark ORDER BY changed DESC LIMIT 1").first { try $0.unsigned(0) } ?? 0
    }

    mutating func save(_ mark: FeedMark, zone: ZoneID) throws {
        try requireWritable()
        let mark = try mark.storable()
        try sql("INSERT OR REPLACE INTO feed_mark (zone, place, changed, entered) VALUES (?, ?, ?, ?)")
            .run(try intern(zone.digest), Int64(mark.place.rawValue), mark.changed, mark.entered)
    }

    func notedOffer(of zone: ZoneID) throws -> NotedOffer? {
        guard let number = try number(zone.digest) else { return nil }
        return try sql("SELECT learnt, entry, answer FROM noted_offer WHERE zone = ?").first(number) { row in
            NotedOffer(
                milliseconds: try row.unsigned(0),
                entry: Hash(try row.digest(1)),
                answer: row.isNull(2) ? nil : row.bytes(2)
            )
        }
    }

    mutating func setNotedOffer(_ offer: NotedOffer?, of zone: ZoneID) throws {
        try requireWritable()
        guard let offer = offer?.storable else {
            guard let number = try number(zone.digest) else { return }
            return try sql("DELETE FROM noted_offer WHERE zone = ?").run(number)
        }
        try sql("INSERT OR REPLACE INTO noted_offer (zone, learnt, entry, answer) VALUES (?, ?, ?, ?)")
            .run(try intern(zone.digest), offer.milliseconds, offer.entry.bytes, offer.answer)
    }

    func sharedSize(of log: LogKey) throws -> UInt64? {
        guard let zone = try number(log.zone.digest), let actor = try number(log.actor.digest) else { return nil }
        return try sql("SELECT size FROM shared_log WHERE zone = ? AND actor = ? AND lane = ?")
            .first(zone, actor, Int64(log.lane.rawValue)) { try $0.unsigned(0) }
    }

    mutating func setSharedSize(_ size: UInt64?, of log: LogKey) throws {
        try requireWritable()
        let (zone, actor) = (try intern(log.zone.digest), try intern(log.actor.digest))
        let lane = Int64(log.lane.rawValue)
        guard let size = size?.storable else {
            return try sql("DELETE FROM shared_log WHERE zone = ? AND actor = ? AND lane = ?").run(zone, actor, lane)
        }
        try sql("INSERT OR REPLACE INTO shared_log (zone, actor, lane, size) VALUES (?, ?, ?, ?)")
            .run(zone, actor, lane, size)
    }

    func knownDevices() throws -> KnownDevices {
        let rows = try sql("SELECT account, device, since FROM known_device").all { row in
            (KnownDevices.Key(DeviceID(try row.digest(1)), of: AccountID(try row.digest(0))), try row.unsigned(2))
        }
        return KnownDevices(since: Dictionary(rows) { max($0, $1) })
    }

    mutating func save(_ known: KnownDevices) throws {
        try requireWritable()
        try sql("DELETE FROM known_device").run()
        for (key, since) in known.storable.since.sorted(by: { $0.key < $1.key }) {
            try sql("INSERT INTO known_device (account, device, since) VALUES (?, ?, ?)")
                .run(key.account.bytes, key.device.bytes, since)
        }
    }

    func requestedIndexes(container: String) throws -> [FieldIndex]? {
        let isNoted = try sql("SELECT 1 FROM index_request WHERE container = ?").first(container) { _ in true }
        guard isNoted == true else { return nil }
        return try sql(
            """
            SELECT place, type, field, is_system, kind, 0 FROM requested_index WHERE container = ? ORDER BY place
            """
        ).all(container) { try StoredIndex($0).index }
    }

    mutating func setRequestedIndexes(_ indexes: [FieldIndex], container: String) throws {
        try requireWritable()
        try sql("INSERT OR IGNORE INTO index_request (container) VALUES (?)").run(container)
        try sql("DELETE FROM requested_index WHERE container = ?").run(container)
        for (place, index) in indexes.enumerated() {
            let columns = index.columns
            try sql(
                """
                INSERT INTO requested_index (container, place, type, field, is_system, kind) VALUES (?, ?, ?, ?, ?, ?)
                """
            ).run(container, place, columns.type, columns.field, columns.isSystem, columns.kind)
        }
    }

    func inboxPosition() throws -> UInt64 { try ledger().inboxPosition }

    mutating func setInboxPosition(_ position: UInt64) throws {
        try requireWritable()
        var ledger = try ledger()
        ledger.inboxPosition = position.storable
        setLedger(ledger)
    }

    mutating func takeMessageNumber() throws -> UInt64 {
        try requireWritable()
        var ledger = try ledger()
        ledger.messageNumber += 1
        setLedger(ledger)
        return ledger.messageNumber
    }

    mutating func takePayloadNumber() throws -> UInt64 {
        try requireWritable()
        var ledger = try ledger()
        ledger.payloadNumber += 1
        setLedger(ledger)
        return ledger.payloadNumber
    }
}
