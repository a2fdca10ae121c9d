import Records
import Sync
import Wire

/// The table of the statements of other devices about contents.
struct HolderTable {
    private let transaction: SQLiteTransaction

    init(_ transaction: SQLiteTransaction) {
        self.transaction = transaction
    }

    func statements(about payload: PayloadID) throws -> [HolderRow] {
        try transaction.sql(
            """
            SELECT payload, device.bytes, holds, stated, due FROM holder
                JOIN identifier AS device ON device.id = holder.device
            WHERE payload = ? ORDER BY device.bytes
            """
        ).all(payload) { row in
            try HolderRow(row, device: DeviceID(try row.digest(1)))
        }
    }

    func statement(about payload: PayloadID, by device: DeviceID) throws -> HolderRow? {
        guard let number = try transaction.number(device.digest) else { return nil }
        return try transaction.sql(
            "SELECT payload, device, holds, stated, due FROM holder WHERE payload = ? AND device = ?"
        ).first(payload, number) { try HolderRow($0, device: device) }
    }

    func statements(
        by device: DeviceID,
        dueBy milliseconds: UInt64,
        after last: HolderRow?,
        limit: Int
    ) throws -> [HolderRow] {
        guard let number = try transaction.number(device.digest) else { return [] }
        // Every statement is behind the empty payload at the beginning of time.
        return try transaction.sql(
            """
            SELECT payload, device, holds, stated, due FROM holder INDEXED BY holder_by_due
            WHERE device = ? AND due <= ? AND (due, payload) > (?, ?) ORDER BY due, payload LIMIT ?
            """
        ).all(
            number,
            milliseconds.storable,
            last?.due.storable ?? 0,
            last?.payload.bytes ?? [],
            limit
        ) { try HolderRow($0, device: device) }
    }

    func devices() throws -> [DeviceID] {
        var devices: [DeviceID] = []
        var last: Int64 = -1
        // One step for each device: each may have very many statements.
        while let next = try transaction.sql(
            "SELECT device FROM holder INDEXED BY holder_by_due WHERE device > ? ORDER BY device LIMIT 1"
        ).first(last, read: { $0.integer(0) }) {
            devices.append(DeviceID(try transaction.digest(next)))
            last = next
        }
        return devices.sorted()
    }

    func save(_ holder: HolderRow) throws {
        let row = holder.storable
        try transaction.sql(
            """
            INSERT INTO holder (payload, device, holds, stated, due) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (payload, device) DO UPDATE SET holds = excluded.holds, stated = excluded.stated, due = excluded.due
            """
        ).run(row.payload, try transaction.intern(row.device.digest), row.holds, row.stated, row.due)
    }

    func removeStatements(about payload: PayloadID) throws {
        try transaction.sql("DELETE FROM holder WHERE payload = ?").run(payload)
    }

    func removeStatements(by device: DeviceID, limit: Int) throws -> Bool {
        guard let number = try transaction.number(device.digest) else { return false }
        let payloads = try transaction.sql(
            "SELECT payload FROM holder INDEXED BY holder_by_due WHERE device = ? ORDER BY due, payload LIMIT ?"
        ).all(number, limit) { PayloadID(try $0.digest(0)) }
        for payload in payloads {
            try transaction.sql("DELETE FROM holder WHERE payload = ? AND device = ?").run(payload, number)
        }
        return !payloads.isEmpty
    }
}

extension HolderRow {
    /// Reads the columns `payload, …, holds, stated, due`.
    fileprivate init(_ row: ResultRow, device: DeviceID) throws {
        self.init(
            payload: PayloadID(try row.digest(0)),
            device: device,
            holds: row.integer(2) != 0,
            stated: try row.unsigned(3),
            due: try row.unsigned(4)
        )
    }
}

/// Statements of other devices about contents.
extension SQLiteTransaction {
    private var holderTable: HolderTable { HolderTable(self) }

    func holders(of payload: PayloadID) throws -> [HolderRow] { try holderTable.statements(about: payload) }

    func holder(of payload: PayloadID, device: DeviceID) throws -> HolderRow? {
        try holderTable.statement(about: payload, by: device)
    }

    func holders(
        device: DeviceID,
        dueBy milliseconds: UInt64,
        after last: HolderRow?,
        limit: Int
    ) throws -> [HolderRow] {
        try holderTable.statements(by: device, dueBy: milliseconds, after: last, limit: limit)
    }

    func statingDevices() throws -> [DeviceID] { try holderTable.devices() }

    mutating func save(_ holder: HolderRow) throws {
        try requireWritable()
        try holderTable.save(holder)
    }

    mutating func removeHolders(of payload: PayloadID) throws {
        try requireWritable()
        try holderTable.removeStatements(about: payload)
    }

    mutating func removeHolders(device: DeviceID, limit: Int) throws -> Bool {
        try requireWritable()
        return try holderTable.removeStatements(by: device, limit: limit)
    }

    func presentAssets(after number: UInt64, limit: Int) throws -> [PresentAsset] {
        // The states are those of `PayloadRow.State`.
        try sql(
            """
            SELECT number, id, size, begun FROM payload INDEXED BY payload_present
            WHERE state = 3 AND is_asset = 1 AND number > ? ORDER BY number LIMIT ?
            """
        ).all(number.storable, limit) { row in
            PresentAsset(
                number: try row.unsigned(0),
                id: PayloadID(try row.digest(1)),
                byteCount: try row.unsigned(2),
                begun: try row.unsigned(3)
            )
        }
    }
}
