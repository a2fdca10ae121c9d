import Records
import Sync
import Wire

/// The node's data beside the replica.
extension SQLiteTransaction {
    func accountEntries() throws -> [[UInt8]] {
        try sql("SELECT bytes FROM account_entry ORDER BY id").all { $0.bytes(0) }
    }

    mutating func appendAccountEntries(_ entries: [[UInt8]]) throws {
        try requireWritable()
        for entry in entries {
            try sql("INSERT INTO account_entry (bytes) VALUES (?)").run(entry)
        }
    }

    mutating func removeAccountEntries() throws {
        try requireWritable()
        try sql("DELETE FROM account_entry").run()
    }

    func peers() throws -> [PeerRow] {
        try sql("SELECT device, addresses, last_seen, channel FROM peer ORDER BY device").all { row in
            PeerRow(
                device: DeviceID(try row.digest(0)),
                addresses: row.text(1).split(separator: "\n").map(String.init),
                lastSeenMilliseconds: try row.unsigned(2),
                // A later program may have left a version that this one does not know: then the newest known one is
                // meant.
                channelVersion: row.integer(3) == 0 ? nil : ChannelVersion(atMost: UInt8(clamping: row.integer(3)))
            )
        }
    }

    mutating func save(_ peer: PeerRow) throws {
        try requireWritable()
        let peer = try peer.storable()
        try sql(
            """
            INSERT INTO peer (device, addresses, last_seen, channel) VALUES (?, ?, ?, ?)
            ON CONFLICT (device) DO UPDATE SET addresses = excluded.addresses, last_seen = excluded.last_seen,
                channel = max(channel, excluded.channel)
            """
        ).run(
            peer.device,
            peer.addresses.joined(separator: "\n"),
            peer.lastSeenMilliseconds,
            Int64(peer.channelVersion?.rawValue ?? 0)
        )
    }

    func acknowledgements(zone: ZoneID) throws -> [AcknowledgementRow] {
        guard let number = try number(zone.digest) else { return [] }
        let rows = try sql("SELECT device, actor, lane, size FROM acknowledgement WHERE zone = ?")
            .all(number) { ($0.integer(0), $0.integer(1), $0.integer(2), try $0.unsigned(3)) }
        return try rows.map { device, actor, lane, size in
            guard let raw = UInt8(exactly: lane), let lane = Lane(rawValue: raw) else {
                throw StorageError(code: .corrupt, message: "an acknowledgement has the impossible lane \(lane)")
            }
            let key = LogKey(zone: zone, actor: ActorID(try digest(actor)), lane: lane)
            return AcknowledgementRow(device: DeviceID(try digest(device)), key: key, size: size)
        }.sorted { ($0.device, $0.key) < ($1.device, $1.key) }
    }

    mutating func save(_ acknowledgements: [AcknowledgementRow]) throws {
        try requireWritable()
        for acknowledgement in acknowledgements.map(\.storable) {
            let key = acknowledgement.key
            try sql(
                """
                INSERT INTO acknowledgement (zone, device, actor, lane, size) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (zone, device, actor, lane) DO UPDATE SET size = excluded.size WHERE excluded.size > size
                """
            ).run(
                try intern(key.zone.digest),
                try intern(acknowledgement.device.digest),
                try intern(key.actor.digest),
                Int64(key.lane.rawValue),
                acknowledgement.size
            )
        }
    }

    func value(named name: String) throws -> [UInt8]? {
        try sql("SELECT bytes FROM value WHERE name = ?").first(name) { $0.bytes(0) }
    }

    mutating func setValue(_ value: [UInt8]?, named name: String) throws {
        try requireWritable()
        if let value {
            try sql("INSERT OR REPLACE INTO value (name, bytes) VALUES (?, ?)").run(name, value)
        } else {
            try sql("DELETE FROM value WHERE name = ?").run(name)
        }
    }
}
