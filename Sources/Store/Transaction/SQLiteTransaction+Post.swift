import Sync
import Wire

/// The parcels that were left on relays for unreachable devices.
extension SQLiteTransaction {
    func postedParcels(on relay: RelayID?, limit: Int) throws -> [PostedParcelRow] {
        try sql(
            """
            SELECT relay, identifier.bytes, parcel, day, until, missing_since, stretches FROM posted_parcel
                JOIN identifier ON identifier.id = posted_parcel.device
            WHERE ?1 IS NULL OR relay = ?1 ORDER BY number LIMIT ?2
            """
        ).all(relay?.bytes, limit) { try postedParcel($0) }
    }

    mutating func save(_ parcel: PostedParcelRow) throws {
        try requireWritable()
        let parcel = try parcel.storable()
        var writer = WireWriter(capacity: 128)
        writer.writeList(parcel.stretches)
        try sql(
            """
            INSERT INTO posted_parcel (relay, device, parcel, day, until, missing_since, stretches)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (relay, device, parcel) DO UPDATE SET
                day = excluded.day, until = excluded.until, missing_since = excluded.missing_since,
                stretches = excluded.stretches
            """
        ).run(
            parcel.relay.bytes,
            try intern(parcel.device.digest),
            parcel.parcel.bytes,
            parcel.day,
            parcel.until,
            parcel.missingSince,
            writer.bytes
        )
    }

    mutating func remove(_ parcel: PostedParcelRow) throws {
        try requireWritable()
        guard let device = try number(parcel.device.digest) else { return }
        try sql("DELETE FROM posted_parcel WHERE relay = ? AND device = ? AND parcel = ?")
            .run(parcel.relay.bytes, device, parcel.parcel.bytes)
    }

    func postedSizes(for device: DeviceID, zone: ZoneID) throws -> [LogKey: UInt64] {
        guard let device = try number(device.digest), let number = try number(zone.digest) else { return [:] }
        let rows = try sql(
            """
            SELECT identifier.bytes, lane, size FROM posted_log JOIN identifier ON identifier.id = posted_log.actor
            WHERE device = ? AND zone = ?
            """
        ).all(device, number) { row in
            let actor = ActorID(try row.digest(0))
            guard let raw = UInt8(exactly: row.integer(1)), let lane = Lane(rawValue: raw) else { throw row.damage(1) }
            return (LogKey(zone: zone, actor: actor, lane: lane), try row.unsigned(2))
        }
        return Dictionary(rows) { max($0, $1) }
    }

    mutating func setPostedSize(_ size: UInt64, of log: LogKey, for device: DeviceID) throws {
        try requireWritable()
        try sql(
            """
            INSERT INTO posted_log (device, zone, actor, lane, size) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device, zone, actor, lane) DO UPDATE SET size = excluded.size
            """
        ).run(
            try intern(device.digest),
            try intern(log.zone.digest),
            try intern(log.actor.digest),
            Int64(log.lane.rawValue),
            size.storable
        )
    }

    private func postedParcel(_ row: ResultRow) throws -> PostedParcelRow {
        let stretches = try decoding("parcel") { () throws(WireError) in
            var reader = WireReader(row.bytes(6))
            let list: [PostedParcelRow.Stretch] = try reader.readList(
                maximum: Limits.parcelMessageCountMax,
                itemByteCountMin: 67
            )
            try reader.finish()
            return list
        }
        let parcel = PostedParcelRow(
            relay: RelayID(try row.digest(0)),
            device: DeviceID(try row.digest(1)),
            parcel: ParcelID(try row.digest(2)),
            day: try row.unsigned(3),
            until: try row.unsigned(4),
            missingSince: row.isNull(5) ? nil : try row.unsigned(5),
            stretches: stretches
        )
        return try undamaged(parcel, "posted_parcel", "the parcel \(parcel.parcel.shortText)")
    }
}
