import Foundation
import GRDB
import Sync
import Wire

/// The schema of a database, and the migrations from an older one to the present one.
enum Schema {
    /// Marks a file as this program's: "KAIR" in ASCII.
    static let applicationID: Int32 = 0x4B41_4952

    /// One step from a version to the next.
    struct Migration {
        /// The version that the step leads to.
        var version: Int32
        /// The migration's statements, any number of them.
        var sql: String
    }

    /// All steps, ascending from version 1 without a hole.
    ///
    /// A released step is never changed.
    static let migrations = [
        Migration(version: 1, sql: Migration001.sql),
        Migration(version: 2, sql: Migration002.sql),
        Migration(version: 3, sql: Migration003.sql),
        Migration(version: 4, sql: Migration004.sql),
        Migration(version: 5, sql: Migration005.sql),
        Migration(version: 6, sql: Migration006.sql),
        Migration(version: 7, sql: Migration007.sql),
        Migration(version: 8, sql: Migration008.sql),
        Migration(version: 9, sql: Migration009.sql),
        Migration(version: 10, sql: Migration010.sql),
        Migration(version: 11, sql: Migration011.sql),
        Migration(version: 12, sql: Migration012.sql),
        Migration(version: 13, sql: Migration013.sql),
        Migration(version: 14, sql: Migration014.sql),
        Migration(version: 15, sql: Migration015.sql),
        Migration(version: 16, sql: Migration016.sql),
        Migration(version: 17, sql: Migration017.sql),
        Migration(version: 18, sql: Migration018.sql),
        Migration(version: 19, sql: Migration019.sql),
    ]

    /// `zone_name(genesis)` for migrations: the UTF-8 of the name in an encoded genesis, NULL for one that is damaged.
    private static let zoneName = DatabaseFunction("zone_name", argumentCount: 1, pure: true) { values in
        guard let bytes = values.first.flatMap({ Data.fromDatabaseValue($0) }) else { return nil }
        return (try? ZoneGenesis(decoding: [UInt8](bytes))).map { Data($0.name.utf8) }
    }

    /// The version that this program writes.
    static var version: Int32 { migrations.last?.version ?? 0 }

    /// Brings a database to the present version, each step in a transaction of its own.
    /// - Parameter database: The writing connection, outside any transaction.
    /// - Throws: `.newerFormat` for a database of a later program, `.corrupt` for one of another program, or an error
    ///   of SQLite.
    static func prepare(_ database: Database) throws {
        let found = try DatabaseHeader(
            applicationID: Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
            version: Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        )
        try found.check()
        database.add(function: zoneName)
        for migration in migrations where migration.version > found.version {
            try database.inTransaction(.immediate) {
                try database.execute(sql: migration.sql)
                try database.execute(sql: "PRAGMA application_id = \(applicationID)")
                try database.execute(sql: "PRAGMA user_version = \(migration.version)")
                return .commit
            }
        }
    }
}
