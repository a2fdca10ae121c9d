import Dispatch
import Foundation
import GRDB
package import Identity
package import Mailbox
import Sync
package import Wire

/// A relay's storage for others, in a SQLite database of its own beside the node's: a relay that is full or slow does
/// not affect the machine's own records.
///
/// One connection runs every blocking call on its queue; each answer comes after the sync that makes it durable.
/// Writes that wait share a sync, see `WriteLine`.
package final class SQLiteParcelStorage: ParcelStorage {
    private let queue: DatabaseQueue
    private let line: WriteLine

    /// See `ParcelStorage`.
    package var backend: String { "sqlite" }

    /// Opens the database of a state directory, making the missing parts.
    /// - Parameter directory: The state directory; this process has it alone, since opening its store takes the lock.
    /// - Returns: The open storage.
    /// - Throws: `StorageError`: `.otherFormat`, `.corrupt`, `.diskFull`, `.inputOutput`.
    package static func open(_ directory: StateDirectory) async throws -> SQLiteParcelStorage {
        let control = DispatchQueue(label: "kairan.relay.control")
        return try await withCheckedThrowingContinuation { continuation in
            control.async {
                continuation.resume(with: Result { try SQLiteParcelStorage(directory) })
            }
        }
    }

    private init(_ directory: StateDirectory) throws {
        do {
            try directory.create()
            let isNew = !FileSystem.exists(directory.relayDatabasePath)
            try FileSystem.makeFile(directory.relayDatabasePath)
            // An answer says that something is durable, and so is the file that it is in.
            if isNew { try FileSystem.synchronize(directory.storePath) }
            var configuration = Configuration()
            configuration.label = "kairan.relay"
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: directory.relayDatabasePath, configuration: configuration)
            try queue.inDatabase { database in
                _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
                // An answer says that something is durable.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                // Debian's SQLite writes zeros over deleted rows, as many bytes as were kept; the kept data is
                // sealed.
                _ = try Int.fetchOne(database, sql: "PRAGMA secure_delete = FAST")
                // Pages that many writes change are copied into the database once for all: a log of 32 MiB.
                _ = try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint = 8192")
                // The keys of some hundred thousand parcels: 16 MiB.
                try database.execute(sql: "PRAGMA cache_size = -16384")
                try RelaySchema.prepare(database)
            }
            line = WriteLine(queue)
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(error)
        }
    }

    /// Looks at the database before it is opened, and makes nothing.
    /// - Parameter directory: Where.
    /// - Returns: The state in which it was found.
    /// - Throws: `StorageError`, when it is there and cannot be read.
    package static func found(in directory: StateDirectory) async throws -> RelayStart.StoreState {
        guard FileSystem.byteCount(directory.relayDatabasePath) > 0 else { return .missing }
        let control = DispatchQueue(label: "kairan.relay.control")
        return try await withCheckedThrowingContinuation { continuation in
            control.async {
                continuation.resume(with: Result { try look(directory) })
            }
        }
    }

    private static func look(_ directory: StateDirectory) throws -> RelayStart.StoreState {
        do {
            let queue = try DatabaseQueue(path: directory.relayDatabasePath)
            let isUsed = try queue.read { database in
                // An opening that was interrupted leaves a database without tables.
                guard try database.tableExists("admission") else { return false }
                return try Int.fetchOne(database, sql: "SELECT 1 FROM admission LIMIT 1") != nil
            }
            try queue.close()
            return isUsed ? .used : .unused
        } catch {
            throw StorageError(error)
        }
    }

    /// Closes the database; nothing is asked of it any more.
    package func close() throws { try queue.close() }

    /// See `ParcelStorage`.
    package func admit(_ admission: Admission) async throws {
        try await writing { database in
            let count = try database.number("SELECT count(*) FROM admission") ?? 0
            guard count < Admission.countMax else { throw ParcelStorageError.tooMany }
            try Self.insert(admission, database)
        }
    }

    private static func insert(_ admission: Admission, _ database: Database) throws {
        try database.run(
            """
            INSERT INTO admission (id, name, quota, since, used, parcels, giver, until)
            VALUES (?, ?, ?, ?, 0, 0, ?, ?)
            """,
            [
                admission.id.data, admission.name, Int64(clamping: admission.quota),
                Int64(clamping: admission.since), admission.pass?.giver.data,
                admission.pass.map { Int64(clamping: $0.until) },
            ]
        )
    }

    /// See `ParcelStorage`.
    package func give(
        _ passes: [AdmissionID],
        under giver: AdmissionID,
        at now: UInt64,
        until: UInt64
    ) async throws -> [AdmissionID] {
        try await writing { database in
            guard let admission = try Self.usage(of: giver, database)?.admission, admission.pass == nil else {
                return []
            }
            return try passes.filter { pass in
                if let known = try Self.usage(of: pass, database)?.admission {
                    guard known.pass?.giver == giver else { return false }
                    try database.run(
                        "UPDATE admission SET until = max(until, ?) WHERE id = ?",
                        [Int64(clamping: until), pass.data]
                    )
                    return true
                }
                let counts = try Row.fetchOne(
                    database,
                    sql: "SELECT count(*), count(*) FILTER (WHERE giver = ?) FROM admission",
                    arguments: [giver.data]
                )
                guard let counts, (counts[0] as Int) < Admission.countMax, (counts[1] as Int) < Limits.passCountMax
                else { return false }
                try Self.insert(Admission(pass: pass, under: admission, at: now, until: until), database)
                return true
            }
        }
    }

    /// See `ParcelStorage`.
    package func dismiss(_ admission: AdmissionID) async throws -> Bool {
        try await writing { database in
            let isThere = try Self.usage(of: admission, database) != nil
            try Self.end("id = :id OR giver = :id", ["id": admission.data], database)
            return isThere
        }
    }

    /// Ends admissions, with all parcels and slots under them.
    private static func end(_ condition: String, _ arguments: StatementArguments, _ database: Database) throws {
        for table in ["parcel", "slot"] {
            try database.run(
                "DELETE FROM \(table) WHERE admission IN (SELECT id FROM admission WHERE \(condition))",
                arguments
            )
        }
        try database.run("DELETE FROM admission WHERE \(condition)", arguments)
    }

    /// See `ParcelStorage`.
    package func admissions() async throws -> [AdmissionUsage] {
        try await reading { database in
            try Row.fetchAll(database, sql: "SELECT * FROM admission ORDER BY since, id").map(AdmissionUsage.init)
        }
    }

    /// See `ParcelStorage`.
    package func admission(_ id: AdmissionID) async throws -> AdmissionUsage? {
        try await reading { database in try Self.usage(of: id, database) }
    }

    private static func usage(of id: AdmissionID, _ database: Database) throws -> AdmissionUsage? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM admission WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id.data]).map(AdmissionUsage.init)
    }

    /// See `ParcelStorage`.
    package func put(_ deposit: ParcelDeposit) async throws -> ParcelOutcome {
        try await writing(byteCount: deposit.parcel.bytes.count) { database in
            guard let usage = try Self.usage(of: deposit.admission, database) else { return .notAdmitted }
            let (mailbox, parcel) = (deposit.mailbox.data, deposit.parcel.id.data)
            try database.run(
                "UPDATE parcel SET until = max(until, ?) WHERE mailbox = ? AND parcel = ?",
                [Int64(clamping: deposit.until), mailbox, parcel]
            )
            if database.changesCount > 0 { return .stored }
            guard try Self.hasRoom(for: deposit, usage, database) else { return .full }
            try database.run(
                "INSERT INTO parcel (mailbox, parcel, admission, until, size, bytes) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    mailbox, parcel, deposit.admission.data, Int64(clamping: deposit.until),
                    Int64(deposit.byteCount), Data(deposit.parcel.bytes),
                ]
            )
            return .stored
        }
    }

    private static func hasRoom(
        for deposit: ParcelDeposit,
        _ usage: AdmissionUsage,
        _ database: Database
    ) throws -> Bool {
        let size = deposit.byteCount
        let quota = usage.admission.quota
        guard usage.byteCount + size <= quota, try used(database) + size <= deposit.room.total else { return false }
        let share = quota / deposit.room.mailboxShare
        // All that is under the admission is no more than the share: then no mailbox has more.
        if usage.byteCount + size <= share { return true }
        let inMailbox = try database.number(
            "SELECT used FROM share WHERE mailbox = ? AND admission = ?",
            [deposit.mailbox.data, deposit.admission.data]
        )
        return UInt64(clamping: inMailbox ?? 0) + size <= share
    }

    /// The total size of all kept parcels and slots.
    private static func used(_ database: Database) throws -> UInt64 {
        UInt64(clamping: try database.number("SELECT coalesce(sum(used), 0) FROM admission") ?? 0)
    }

    /// See `ParcelStorage`.
    package func claim(_ claim: SlotClaim) async throws -> SlotOutcome {
        try await writing { database in
            guard let usage = try Self.usage(of: claim.admission, database) else { return .notAdmitted }
            if usage.byteCount + SlotClaim.byteCount <= usage.admission.quota,
                try Self.used(database) + SlotClaim.byteCount <= claim.room.total
            {
                try database.run(
                    """
                    INSERT INTO slot (slot, value, admission, until, size) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT DO NOTHING
                    """,
                    [
                        claim.slot.data, claim.value.data, claim.admission.data, Int64(clamping: claim.until),
                        Int64(SlotClaim.byteCount),
                    ]
                )
            }
            let statement = try database.cachedStatement(sql: "SELECT value FROM slot WHERE slot = ?")
            guard let held = try Data.fetchOne(statement, arguments: [claim.slot.data]) else { return .full }
            guard let value = Hash(held) else { throw StorageError.damagedParcels }
            return .held(value)
        }
    }

    /// See `ParcelStorage`.
    package func parcels(in mailboxes: [MailboxID], limit: Int) async throws -> [ParcelNotice] {
        try await reading { database in
            var found: [ParcelNotice] = []
            let statement = try database.cachedStatement(
                sql: "SELECT parcel, length(bytes) FROM parcel WHERE mailbox = ? ORDER BY number LIMIT ?"
            )
            for mailbox in mailboxes where found.count < limit {
                let rows = try Row.fetchAll(statement, arguments: [mailbox.data, limit - found.count])
                for row in rows {
                    guard let id = ParcelID(row[0] as Data) else { throw StorageError.damagedParcels }
                    found.append(ParcelNotice(mailbox: mailbox, parcel: id, byteCount: UInt64(row[1] as Int64)))
                }
            }
            return found
        }
    }

    /// See `ParcelStorage`.
    package func parcel(_ parcel: ParcelID, in mailbox: MailboxID) async throws -> [UInt8]? {
        try await reading { database in
            let statement = try database.cachedStatement(
                sql: "SELECT bytes FROM parcel WHERE mailbox = ? AND parcel = ?"
            )
            return try Data.fetchOne(statement, arguments: [mailbox.data, parcel.data]).map(Array.init)
        }
    }

    /// See `ParcelStorage`.
    package func remove(_ parcels: [ParcelID], from mailbox: MailboxID) async throws {
        try await writing { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM parcel WHERE mailbox = ? AND parcel = ?")
            for parcel in parcels { try statement.execute(arguments: [mailbox.data, parcel.data]) }
        }
    }

    /// See `ParcelStorage`.
    package func held(_ parcels: [ParcelID], in mailbox: MailboxID) async throws -> [ParcelID] {
        try await reading { database in
            let statement = try database.cachedStatement(sql: "SELECT 1 FROM parcel WHERE mailbox = ? AND parcel = ?")
            return try parcels.filter { parcel in
                try Int.fetchOne(statement, arguments: [mailbox.data, parcel.data]) != nil
            }
        }
    }

    /// See `ParcelStorage`.
    package func expire(at now: UInt64, limit: Int) async throws -> Int {
        try await writing { database in
            try Self.end("giver IS NOT NULL AND until <= :now", ["now": Int64(clamping: now)], database)
            try database.run(
                "DELETE FROM parcel WHERE number IN (SELECT number FROM parcel WHERE until <= ? ORDER BY until LIMIT ?)",
                [Int64(clamping: now), limit]
            )
            let count = database.changesCount
            try database.run(
                "DELETE FROM slot WHERE slot IN (SELECT slot FROM slot WHERE until <= ? ORDER BY until LIMIT ?)",
                [Int64(clamping: now), limit - count]
            )
            return count + database.changesCount
        }
    }

    // MARK: The queue

    private func writing<Value: Sendable>(
        byteCount: Int = 0,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await line.write(byteCount: byteCount, body)
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

    /// No other write runs on the queue meanwhile, so a transaction would be for nothing.
    private func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.asyncWriteWithoutTransaction { database in
                continuation.resume(with: Result { try body(database) }.mapError { StorageError($0) })
            }
        }
    }
}

extension Database {
    /// Runs a statement that is kept for the next time.
    fileprivate func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// Asks for a number by a statement that is kept for the next time.
    fileprivate func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int64? {
        try Int64.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }
}

extension AdmissionUsage {
    fileprivate init(_ row: Row) throws {
        guard let id = AdmissionID(row["id"] as Data) else { throw StorageError.damagedParcels }
        var pass: Admission.Pass?
        if let bytes = row["giver"] as Data?, let until = row["until"] as Int64? {
            guard let giver = AdmissionID(bytes) else { throw StorageError.damagedParcels }
            pass = Admission.Pass(giver: giver, until: UInt64(clamping: until))
        }
        self.init(
            admission: Admission(
                id: id,
                name: row["name"],
                quota: UInt64(clamping: row["quota"] as Int64),
                since: UInt64(clamping: row["since"] as Int64),
                pass: pass
            ),
            byteCount: UInt64(clamping: row["used"] as Int64),
            parcelCount: UInt64(clamping: row["parcels"] as Int64)
        )
    }
}

extension StorageError {
    fileprivate static var damagedParcels: StorageError {
        StorageError(code: .corrupt, message: "the database of parcels holds an invalid identifier")
    }
}

extension Identifier {
    fileprivate var data: Data { Data(bytes) }
}
