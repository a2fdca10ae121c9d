/// Version 14: payloads, the bytes of messages that travel apart from their records.
enum Migration014 {
    static let sql = """
        ALTER TABLE message ADD COLUMN payload BLOB; -- 32 bytes; NULL = what it says is in its record
        CREATE INDEX message_payload ON message (payload) WHERE payload IS NOT NULL;
        CREATE TABLE payload (
            number   INTEGER PRIMARY KEY,            -- in the order in which they came to be known; never given twice
            id       BLOB    UNIQUE,                 -- 32 bytes; NULL = its end is not known
            zone     INTEGER NOT NULL,               -- identifier
            standing INTEGER NOT NULL,               -- 1 uploading, 2 wanted, 3 present, 4 released
            size     INTEGER NOT NULL,               -- bytes of what is in it, without padding
            secret   BLOB    NOT NULL,               -- sealed, see StoredSecrets
            begun    INTEGER NOT NULL,               -- milliseconds since 1970
            sender   INTEGER                         -- identifier; NULL = it was handed in here
        ) STRICT;
        CREATE INDEX payload_wanted ON payload (number) WHERE standing = 2;
        -- A row is made with what the outline says of a chunk; its bytes follow.
        CREATE TABLE chunk (
            payload  INTEGER NOT NULL,
            position INTEGER NOT NULL,
            hash     BLOB    NOT NULL,               -- 32 bytes
            bytes    BLOB,                           -- as sealed; NULL = not here yet
            PRIMARY KEY (payload, position)
        ) STRICT;
        CREATE INDEX chunk_missing ON chunk (payload, position) WHERE bytes IS NULL;
        """
}
