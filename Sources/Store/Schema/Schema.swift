import GRDB
import Sync

/// The schema of a database.
enum Schema {
    /// Marks a file as this program's: "KAIR" in ASCII.
    static let applicationID: Int32 = 0x4B41_4952

    /// The version of the format, the only one that this program reads and writes.
    ///
    /// Versions 1 to 25 were in use before the first release. A later version comes with the statements that change a
    /// database of each earlier one from here on.
    static let version: Int32 = 26

    /// Makes the tables of a new database.
    /// - Parameter database: The writing connection, outside any transaction.
    /// - Throws: `.otherFormat` for a database of another version, `.corrupt` for one of another program, or an error
    ///   of SQLite.
    static func prepare(_ database: Database) throws {
        let found = try DatabaseHeader(
            applicationID: Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
            version: Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        )
        try found.check()
        guard found.version == 0 else { return }
        try database.inTransaction(.immediate) {
            try database.execute(sql: Tables.sql)
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }
}
