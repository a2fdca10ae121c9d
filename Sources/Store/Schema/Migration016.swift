/// Version 16: the payloads that relays keep for others.
enum Migration016 {
    static let sql = """
        ALTER TABLE payload ADD COLUMN kept_until INTEGER; -- milliseconds since 1970; NULL = not kept for others
        CREATE INDEX payload_kept ON payload (number) WHERE kept_until IS NOT NULL;
        -- 1 when all have said how it stands with what was sent from here.
        ALTER TABLE message ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX message_unsettled ON message (number)
            WHERE standing = 1 AND payload IS NOT NULL AND settled = 0;
        -- What relays have promised this device.
        CREATE TABLE custody (
            payload BLOB    NOT NULL,                -- 32 bytes
            zone    INTEGER NOT NULL,                -- identifier
            relay   INTEGER NOT NULL,                -- identifier
            until   INTEGER NOT NULL,                -- milliseconds since 1970, by the relay's clock
            PRIMARY KEY (payload, relay)
        ) STRICT;
        """
}
