import GRDB
import Sync

// The check of a database when its store is opened.
extension SQLiteStore {
    /// Whether the database is checked before it is used.
    static func needsCheck(_ origin: Origin, _ verification: StoreSettings.Verification) -> Bool {
        switch verification {
        case .whenUnclean: origin == .unclean
        case .always: origin != .new
        case .never: false
        }
    }

    /// Checks every page of a database.
    /// - Throws: `.corrupt` with the findings.
    static func check(_ database: Database) throws {
        let findings = try String.fetchAll(database, sql: "PRAGMA quick_check(10)")
        guard findings == ["ok"] else {
            throw StorageError(code: .corrupt, message: findings.joined(separator: "; "))
        }
    }
}
