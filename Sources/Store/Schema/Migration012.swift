/// Version 12: messages, as they stand on this device.
enum Migration012 {
    static let sql = """
        CREATE TABLE message (
            number   INTEGER PRIMARY KEY,            -- in the order in which they came; never given twice
            id       BLOB    NOT NULL UNIQUE,        -- 16 bytes
            zone     INTEGER NOT NULL,               -- identifier
            tag      BLOB    NOT NULL,               -- the message's record, 32 bytes
            standing INTEGER NOT NULL,               -- 1 sent, 2 waiting, 3 finished, 4 for others, 5 failed, 6 earlier
            expires  INTEGER,                        -- milliseconds since 1970; NULL = it stays
            owes     INTEGER NOT NULL                -- 1 when a receipt is to be written
        ) STRICT;
        CREATE INDEX message_by_zone ON message (zone, number);
        CREATE INDEX message_waiting ON message (number) WHERE standing = 2;
        CREATE INDEX message_owing ON message (zone, number) WHERE owes = 1;
        CREATE INDEX message_expiring ON message (expires, number) WHERE expires IS NOT NULL;
        -- What the feed tells of messages and receipts, without a look at all that it tells beside them.
        CREATE INDEX record_message ON record (position) WHERE type IN ('kairan.message', 'kairan.receipt');
        """
}
