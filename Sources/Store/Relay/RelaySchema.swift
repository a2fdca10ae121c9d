import GRDB
import Sync

/// The schema of the database of parcels.
enum RelaySchema {
    /// Marks a file as this program's parcels: "KAIP" in ASCII.
    private static let applicationID: Int32 = 0x4B41_4950

    /// The version of the format, the only one that this program reads and writes; see ``Schema/version``.
    private static let version: Int32 = 3

    private static let sql = """
        -- The accounts and devices that may leave parcels.
        CREATE TABLE admission (
            id      BLOB    NOT NULL PRIMARY KEY,    -- 32 bytes: the hash of its secret
            name    TEXT    NOT NULL,                -- in the owner's words
            quota   INTEGER NOT NULL,                -- bytes
            since   INTEGER NOT NULL,                -- milliseconds since 1970
            used    INTEGER NOT NULL,                -- the sizes of its parcels and slots; by the triggers below
            parcels INTEGER NOT NULL,                -- the number of its parcels; by the triggers below
            giver   BLOB,                            -- of a pass: the admission under which it was given
            until   INTEGER                          -- of a pass: milliseconds since 1970
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX admission_giver ON admission (giver) WHERE giver IS NOT NULL;

        CREATE TABLE parcel (
            number    INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of arrival
            mailbox   BLOB    NOT NULL,              -- 32 bytes
            parcel    BLOB    NOT NULL,              -- 32 bytes: the hash of the bytes
            admission BLOB    NOT NULL,
            until     INTEGER NOT NULL,              -- milliseconds since 1970
            size      INTEGER NOT NULL,              -- its share of quotas, in bytes
            bytes     BLOB    NOT NULL,
            UNIQUE (mailbox, parcel)
        ) STRICT;
        CREATE INDEX parcel_order ON parcel (mailbox, number);
        CREATE INDEX parcel_until ON parcel (until);
        CREATE INDEX parcel_admission ON parcel (admission);

        -- The size of each mailbox under each admission, so that an arriving parcel need not sum it.
        CREATE TABLE share (
            mailbox   BLOB    NOT NULL,
            admission BLOB    NOT NULL,
            used      INTEGER NOT NULL,              -- the sizes of its parcels; by the triggers below
            PRIMARY KEY (mailbox, admission)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER parcel_in AFTER INSERT ON parcel BEGIN
            UPDATE admission SET used = used + new.size, parcels = parcels + 1 WHERE id = new.admission;
            INSERT INTO share VALUES (new.mailbox, new.admission, new.size)
                ON CONFLICT DO UPDATE SET used = used + excluded.used;
        END;
        CREATE TRIGGER parcel_out AFTER DELETE ON parcel BEGIN
            UPDATE admission SET used = used - old.size, parcels = parcels - 1 WHERE id = old.admission;
            UPDATE share SET used = used - old.size WHERE mailbox = old.mailbox AND admission = old.admission;
            DELETE FROM share WHERE mailbox = old.mailbox AND admission = old.admission AND used <= 0;
        END;

        -- Slots, which are written once.
        CREATE TABLE slot (
            slot      BLOB    NOT NULL PRIMARY KEY,  -- 32 bytes
            value     BLOB    NOT NULL,              -- 32 bytes: the first that was written
            admission BLOB    NOT NULL,
            until     INTEGER NOT NULL,              -- milliseconds since 1970
            size      INTEGER NOT NULL               -- its share of quotas, in bytes
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX slot_until ON slot (until);
        CREATE INDEX slot_admission ON slot (admission);
        CREATE TRIGGER slot_in AFTER INSERT ON slot BEGIN
            UPDATE admission SET used = used + new.size WHERE id = new.admission;
        END;
        CREATE TRIGGER slot_out AFTER DELETE ON slot BEGIN
            UPDATE admission SET used = used - old.size WHERE id = old.admission;
        END;
        """

    /// Makes the tables of a new database, or checks that it is a relay's database.
    /// - Parameter database: The connection, outside any transaction.
    /// - Throws: `.otherFormat` for a database of another version, `.corrupt` for one of another program, or any
    ///   error of SQLite.
    static func prepare(_ database: Database) throws {
        let found = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let owner = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard found == 0 && owner == 0 || owner == applicationID else {
            throw StorageError(code: .corrupt, message: "the database of parcels belongs to another program")
        }
        guard found == 0 || found == version else {
            throw StorageError(
                code: .otherFormat,
                message: "the database of parcels has format \(found), this version reads format \(version)"
            )
        }
        guard found == 0 else { return }
        try database.inTransaction(.immediate) {
            try database.execute(sql: sql)
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }
}
