import GRDB
import Sync

/// The schema of the database of parcels.
enum RelaySchema {
    /// Marks a file as this program's parcels: "KAIP" in ASCII.
    private static let applicationID: Int32 = 0x4B41_4950
    private static let version = Int32(versions.count)

    private static let first = """
        CREATE TABLE admission (
            id      BLOB    NOT NULL PRIMARY KEY,    -- 32 bytes: the hash of its secret
            name    TEXT    NOT NULL,                -- in the owner's words
            quota   INTEGER NOT NULL,                -- bytes
            since   INTEGER NOT NULL,                -- milliseconds since 1970
            used    INTEGER NOT NULL,                -- the sizes of its parcels; by the triggers below
            parcels INTEGER NOT NULL                 -- how many there are; by the triggers below
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE parcel (
            number    INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which they came
            mailbox   BLOB    NOT NULL,              -- 32 bytes
            parcel    BLOB    NOT NULL,              -- 32 bytes: the hash of the bytes
            admission BLOB    NOT NULL,
            until     INTEGER NOT NULL,              -- milliseconds since 1970
            size      INTEGER NOT NULL,              -- what it counts against quotas
            bytes     BLOB    NOT NULL,
            UNIQUE (mailbox, parcel)
        ) STRICT;
        CREATE INDEX parcel_order ON parcel (mailbox, number, size);
        CREATE INDEX parcel_until ON parcel (until);
        CREATE INDEX parcel_admission ON parcel (admission);
        CREATE TRIGGER parcel_in AFTER INSERT ON parcel BEGIN
            UPDATE admission SET used = used + new.size, parcels = parcels + 1 WHERE id = new.admission;
        END;
        CREATE TRIGGER parcel_out AFTER DELETE ON parcel BEGIN
            UPDATE admission SET used = used - old.size, parcels = parcels - 1 WHERE id = old.admission;
        END;
        """

    /// The additions of the second version: passes, and slots, which are written once.
    private static let second = """
        ALTER TABLE admission ADD COLUMN giver BLOB;     -- of a pass: the admission under which it was given
        ALTER TABLE admission ADD COLUMN until INTEGER;  -- of a pass: milliseconds since 1970
        CREATE INDEX admission_giver ON admission (giver) WHERE giver IS NOT NULL;
        CREATE TABLE slot (
            slot      BLOB    NOT NULL PRIMARY KEY,  -- 32 bytes
            value     BLOB    NOT NULL,              -- 32 bytes: the first that was written
            admission BLOB    NOT NULL,
            until     INTEGER NOT NULL,              -- milliseconds since 1970
            size      INTEGER NOT NULL               -- what it counts against quotas
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

    /// The additions of the third version: the size of each mailbox, so that it need not be summed for each arriving
    /// parcel.
    private static let third = """
        CREATE TABLE share (
            mailbox   BLOB    NOT NULL,
            admission BLOB    NOT NULL,
            used      INTEGER NOT NULL,              -- the sizes of its parcels; by the triggers below
            PRIMARY KEY (mailbox, admission)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO share SELECT mailbox, admission, sum(size) FROM parcel GROUP BY mailbox, admission;
        DROP TRIGGER parcel_in;
        DROP TRIGGER parcel_out;
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
        DROP INDEX parcel_order;
        CREATE INDEX parcel_order ON parcel (mailbox, number);
        """

    /// The additions of each version, the first one first.
    private static let versions = [first, second, third]

    /// Makes the tables of a new database or those that an old one lacks, or checks that it is a relay's database.
    /// - Parameter database: The connection, outside any transaction.
    /// - Throws: `.newerFormat` for a database of a later program, `.corrupt` for one of another program, or any
    ///   error of SQLite.
    static func prepare(_ database: Database) throws {
        let found = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let owner = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard found == 0 && owner == 0 || owner == applicationID else {
            throw StorageError(code: .corrupt, message: "the database of parcels is one of another program")
        }
        guard (0...version).contains(found) else {
            throw StorageError(code: .newerFormat, message: "a newer version wrote the database of parcels")
        }
        guard found < version else { return }
        try database.inTransaction(.immediate) {
            for sql in versions[Int(found)...] { try database.execute(sql: sql) }
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }
}
