import Foundation
import GRDB
import Records
import Sync
import TestSupport
import Testing
import Wire

@testable import Store

@Suite("A database of an earlier version")
struct UpgradeTests {
    /// Makes a store whose schema is that of version 1, with one log.
    private func old(_ log: LogRow, _ zone: ZoneRow) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.state.create()
        let queue = try DatabaseQueue(path: directory.state.databasePath)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: Migration001.sql)
            try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
            try database.execute(sql: "PRAGMA user_version = 1")
            for (id, bytes) in [(1, zone.id.bytes), (2, log.key.actor.bytes), (3, log.device.bytes)] {
                try database.execute(
                    sql: "INSERT INTO identifier (id, bytes) VALUES (?, ?)",
                    arguments: [id, Data(bytes)]
                )
            }
            try database.execute(
                sql: """
                    INSERT INTO log (zone, actor, lane, size, applied_size, byte_count, device, incarnation, frontier)
                    VALUES (1, 2, ?, 0, 0, 0, 3, ?, ?)
                    """,
                arguments: [log.key.lane.rawValue, Data(log.incarnation.bytes), Data(log.frontier.encoded)]
            )
        }
        try queue.close()
        return directory
    }

    @Test func `is brought to the present one: its logs are written under the first owner's right`() async throws {
        var samples = Samples(seed: 1)
        let zone = samples.zone()
        var log = samples.log(zone: zone.id)
        (log.right, log.role) = (.zero, .owner)
        let directory = try old(log, zone)
        var store = try await SQLiteStore.open(directory.state)
        let key = log.key
        #expect(try await store.read { try $0.log(key) } == log)
        (log.right, log.role) = (samples.identifier(), .unknown)
        let changed = log
        try await store.write { try $0.save(changed) }
        try await store.close()
        store = try await SQLiteStore.open(directory.state)
        #expect(try await store.read { try $0.log(key) } == changed)
        try await store.close()
    }
}
