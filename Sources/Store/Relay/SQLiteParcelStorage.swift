import Dispatch
import Foundation
import GRDB
package import Mailbox
import Sync
package import Wire

/// What a relay keeps for others, in a SQLite database of its own beside the node's: a relay that is full or slow does not touch the
/// machine's own records.
///
/// One connection, on whose queue every blocking call runs; each answer comes after the sync that makes it durable.
package final class SQLiteParcelStorage: ParcelStorage {
    private let queue: DatabaseQueue

    /// See `ParcelStorage`.
    package var backend: String { "sqlite" }

    /// Opens the database of a state directory, making what is missing.
    /// - Parameter directory: Where; the process's alone, since whoever opened its store holds the lock.
    /// - Returns: The open storage.
    /// - Throws: `StorageError`: `.newerFormat`, `.corrupt`, `.diskFull`, `.inputOutput`.
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
            try FileSystem.makeFile(directory.relayDatabasePath)
            var configuration = Configuration()
            configuration.label = "kairan.relay"
            configuration.busyMode = .timeout(5)
            queue = try DatabaseQueue(path: directory.relayDatabasePath, configuration: configuration)
            try queue.inDatabase { database in
                _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
                // An answer says that something is durable.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try RelaySchema.prepare(database)
            }
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(error)
        }
    }

    /// Closes the database; nothing is asked of it any more.
    package func close() throws { try queue.close() }

    /// See `ParcelStorage`.
    package func admit(_ admission: Admission) async throws {
        try await writing { database in
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM admission") ?? 0
            guard count < Admission.countMax else { throw ParcelStorageError.tooMany }
            try Self.insert(admission, database)
        }
    }

    private static func insert(_ admission: Admission, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO admission (id, name, quota, since, used, parcels, giver, until)
                VALUES (?, ?, ?, ?, 0, 0, ?, ?)
                """,
            arguments: [
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
                    try database.execute(
                        sql: "UPDATE admission SET until = max(until, ?) WHERE id = ?",
                        arguments: [Int64(clamping: until), pass.data]
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
            try database.execute(
                sql: "DELETE FROM \(table) WHERE admission IN (SELECT id FROM admission WHERE \(condition))",
                arguments: arguments
            )
        }
        try database.execute(sql: "DELETE FROM admission WHERE \(condition)", arguments: arguments)
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
        try Row.fetchOne(database, sql: "SELECT * FROM admission WHERE id = ?", arguments: [id.data])
            .map(AdmissionUsage.init)
    }

    /// See `ParcelStorage`.
    package func put(_ deposit: ParcelDeposit) async throws -> ParcelOutcome {
        try await writing { database in
            guard let usage = try Self.usage(of: deposit.admission, database) else { return .notAdmitted }
            let (mailbox, parcel) = (deposit.mailbox.data, deposit.parcel.id.data)
            try database.execute(
                sql: "UPDATE parcel SET until = max(until, ?) WHERE mailbox = ? AND parcel = ?",
                arguments: [Int64(clamping: deposit.until), mailbox, parcel]
            )
            if database.changesCount > 0 { return .stored }
            let size = deposit.byteCount
            let inMailbox = try UInt64(
                Int64.fetchOne(
                    database,
                    sql: "SELECT coalesce(sum(size), 0) FROM parcel WHERE mailbox = ?",
                    arguments: [mailbox]
                ) ?? 0
            )
            let inAll = try UInt64(
                Int64.fetchOne(database, sql: "SELECT coalesce(sum(used), 0) FROM admission") ?? 0
            )
            let quota = usage.admission.quota
            guard usage.byteCount + size <= quota, inMailbox + size <= quota / deposit.room.mailboxShare,
                inAll + size <= deposit.room.total
            else { return .full }
            try database.execute(
                sql: """
                    INSERT INTO parcel (mailbox, parcel, admission, until, size, bytes) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    mailbox, parcel, deposit.admission.data, Int64(clamping: deposit.until), Int64(size),
                    Data(deposit.parcel.bytes),
                ]
            )
            return .stored
        }
    }

    /// See `ParcelStorage`.
    package func claim(_ claim: SlotClaim) async throws -> SlotOutcome {
        try await writing { database in
            guard let usage = try Self.usage(of: claim.admission, database) else { return .notAdmitted }
            let inAll = try UInt64(
                Int64.fetchOne(database, sql: "SELECT coalesce(sum(used), 0) FROM admission") ?? 0
            )
            if usage.byteCount + SlotClaim.byteCount <= usage.admission.quota,
                inAll + SlotClaim.byteCount <= claim.room.total
            {
                try database.execute(
                    sql: """
                        INSERT INTO slot (slot, value, admission, until, size) VALUES (?, ?, ?, ?, ?)
                        ON CONFLICT DO NOTHING
                        """,
                    arguments: [
                        claim.slot.data, claim.value.data, claim.admission.data, Int64(clamping: claim.until),
                        Int64(SlotClaim.byteCount),
                    ]
                )
            }
            let held = try Data.fetchOne(
                database,
                sql: "SELECT value FROM slot WHERE slot = ?",
                arguments: [claim.slot.data]
            )
            guard let held else { return .full }
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
            try Data.fetchOne(
                database,
                sql: "SELECT bytes FROM parcel WHERE mailbox = ? AND parcel = ?",
                arguments: [mailbox.data, parcel.data]
            ).map(Array.init)
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
            try database.execute(
                sql: """
                    DELETE FROM parcel WHERE number IN (SELECT number FROM parcel WHERE until <= ? ORDER BY until LIMIT ?)
                    """,
                arguments: [Int64(clamping: now), limit]
            )
            let count = database.changesCount
            try database.execute(
                sql: "DELETE FROM slot WHERE slot IN (SELECT slot FROM slot WHERE until <= ? ORDER BY until LIMIT ?)",
                arguments: [Int64(clamping: now), limit - count]
            )
            return count + database.changesCount
        }
    }

    // MARK: The queue

    private func writing<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await queue.write(body)
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

    private func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await queue.read(body)
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
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
        StorageError(code: .corrupt, message: "the database of parcels holds an identifier that is none")
    }
}

extension Identifier {
    fileprivate var data: Data { Data(bytes) }
}
