/// Version 13: the secrets that messages are sealed under beside the zone's key, and the prekeys of this device.
enum Migration013 {
    static let sql = """
        ALTER TABLE message ADD COLUMN secret BLOB; -- sealed, see StoredSecrets; NULL = not sealed, or not for this device
        CREATE INDEX message_failed ON message (number) WHERE standing = 5;
        CREATE TABLE prekey (
            id         BLOB    PRIMARY KEY,  -- 16 bytes
            zone       INTEGER NOT NULL,     -- identifier
            seed       BLOB    NOT NULL,     -- sealed, see StoredSecrets
            begun      INTEGER NOT NULL,     -- milliseconds since 1970, as all times here
            stated     INTEGER NOT NULL,
            superseded INTEGER,              -- NULL = the present one
            standing   INTEGER NOT NULL      -- 0 unused, 1 used, 2 a message missed
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX prekey_present ON prekey (zone) WHERE superseded IS NULL;
        CREATE INDEX prekey_superseded ON prekey (superseded) WHERE superseded IS NOT NULL;
        """
}
