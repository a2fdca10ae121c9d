/// Version 11: keys of zones, and records that cannot be read.
enum Migration011 {
    static let sql = """
        -- Under which key records are written; NULL until the control log was looked into.
        ALTER TABLE zone ADD COLUMN sealing BLOB;
        ALTER TABLE zone ADD COLUMN needs_keys INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE zone ADD COLUMN keys_due INTEGER;
        -- What was known of the accounts' devices when that was decided.
        ALTER TABLE zone ADD COLUMN keys_stamp BLOB;
        -- 1 when an operation of the record is held that is sealed under a key which is not here.
        ALTER TABLE record ADD COLUMN locked INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX record_locked ON record (zone) WHERE locked = 1;
        -- Of a body that is no operation's: what is sealed there is shown in clear here.
        ALTER TABLE record ADD COLUMN checksum BLOB;
        """
}
