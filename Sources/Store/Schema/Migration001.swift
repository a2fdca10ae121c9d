/// Version 1: the first schema.
///
/// The reasons for its shape, in the order of weight:
/// - Rows that carry bytes are appended in the order in which they arrive, under integer row ids: inserting under a
///   random key dirties a page per row and was measured three to five times slower.
/// - Each random key (a record tag, a name) stands in one small index and nowhere else.
/// - Identifiers of 32 bytes are interned, so that rows and indexes hold integers of one to three bytes.
/// - A body is stored once: the record that shows an operation unchanged points to it.
enum Migration001 {
    static let sql = """
        -- One row of facts about the store as a whole; written with every transaction that changes one of them.
        CREATE TABLE store (
            id              INTEGER PRIMARY KEY CHECK (id = 1),
            feed_identity   BLOB    NOT NULL CHECK (length(feed_identity) = 16), -- random, made with the store
            commit_number   INTEGER NOT NULL DEFAULT 0,  -- commits made so far; the newest one's number
            change_position INTEGER NOT NULL DEFAULT 0,  -- newest position in the change feed
            clock           BLOB,                        -- the hybrid clock, 8 bytes big-endian; NULL = never saved
            incarnation     BLOB                         -- 16 bytes; NULL = none yet
        ) STRICT;

        -- Interned 32-byte values: zones, actors, devices, hashes that many headers repeat. Never deleted.
        CREATE TABLE identifier (
            id    INTEGER PRIMARY KEY,
            bytes BLOB NOT NULL UNIQUE CHECK (length(bytes) = 32)
        ) STRICT;

        -- Zones. Structures are in their canonical wire encoding. A row whose genesis is NULL only counts: records came
        -- before the zone itself was saved.
        CREATE TABLE zone (
            id           INTEGER PRIMARY KEY REFERENCES identifier, -- the zone id, interned
            genesis      BLOB,
            tag_key      BLOB,
            state        INTEGER,                    -- 0 live, 1 sealed, 2 deleted
            reason       TEXT,                       -- why it was deleted
            adopted      BLOB,                       -- the adopted checkpoint; NULL = none
            candidates   BLOB,                       -- list of checkpoints not adopted yet
            watermark    BLOB,                       -- version vector
            unverified   INTEGER,                    -- 1 while a checkpoint's live set is unproven
            record_count INTEGER NOT NULL DEFAULT 0  -- records that are not deleted, kept by every transaction
        ) STRICT;

        -- Logs. A row whose size is NULL is only a number: items or heads came before the log itself was saved.
        CREATE TABLE log (
            id           INTEGER PRIMARY KEY,
            zone         INTEGER NOT NULL REFERENCES identifier,
            actor        INTEGER NOT NULL REFERENCES identifier,
            lane         INTEGER NOT NULL,           -- 0 control, 1 data
            size         INTEGER,                    -- leaves held
            applied_size INTEGER,                    -- leaves applied, at most size
            byte_count   INTEGER,                    -- bytes of all items ever appended
            device       INTEGER REFERENCES identifier,
            incarnation  BLOB,                       -- 16 bytes
            frontier     BLOB,                       -- right edge of the tree
            cut_size     INTEGER,                    -- leaves that count; NULL = all
            cut_root     BLOB,                       -- root at that size
            fork_proof   BLOB,                       -- NULL = no fork known
            UNIQUE (zone, actor, lane)
        ) STRICT;

        -- Signed heads that are retained.
        CREATE TABLE head (
            log        INTEGER NOT NULL REFERENCES log,
            size       INTEGER NOT NULL,             -- leaves
            byte_count INTEGER NOT NULL,             -- log.byte_count at this head
            signed     BLOB    NOT NULL,             -- head and signature as received
            frontier   BLOB    NOT NULL,
            PRIMARY KEY (log, size)
        ) STRICT, WITHOUT ROWID;

        -- Record tags of each zone, numbered in the order in which they were first met. The only index on a random
        -- key that every operation touches. Never deleted.
        CREATE TABLE tag (
            id   INTEGER PRIMARY KEY,
            zone INTEGER NOT NULL,                   -- identifier
            tag  BLOB    NOT NULL                    -- 32 bytes
        ) STRICT;
        CREATE UNIQUE INDEX tag_by_value ON tag (zone, tag);

        -- The leaves of all logs, in the order in which they arrived. The body comes last, so that a pass over
        -- headers never touches the overflow pages of large bodies.
        CREATE TABLE item (
            id        INTEGER PRIMARY KEY,
            log       INTEGER NOT NULL,              -- log
            first     INTEGER NOT NULL,              -- leaf index; an operation's counter - 1
            tag       INTEGER,                       -- tag; NULL for gaps and for the control lane
            state     INTEGER NOT NULL,              -- 0 pending, 1 live, 2 superseded, 3 quarantined,
                                                     -- 6 restated; 4 stub, 5 gap
            tombstone INTEGER NOT NULL,              -- 1 when the operation deletes its record
            detail    BLOB    NOT NULL,              -- header, stub or gap in the store's own compact form
            body      BLOB                           -- body of an operation
        ) STRICT;
        CREATE UNIQUE INDEX item_by_place ON item (log, first);
        CREATE INDEX item_by_tag ON item (tag) WHERE tag IS NOT NULL;

        -- What readers see: one row a record, deleted ones included, never removed. Exactly one of `item` and `body`
        -- is set.
        CREATE TABLE record (
            id        INTEGER PRIMARY KEY,           -- tag
            zone      INTEGER NOT NULL,              -- identifier
            position  INTEGER,                       -- its newest place in the change feed; NULL = never in it
            by_sync   INTEGER NOT NULL,              -- 1 when a peer's operation caused the newest change
            deleted   INTEGER NOT NULL,
            conflicts INTEGER NOT NULL,              -- fields with concurrent unequal values
            item      INTEGER,                       -- the operation whose body is the record's
            name      TEXT    NOT NULL,
            type      TEXT    NOT NULL,
            version   BLOB    NOT NULL,              -- what a conditional write names
            detail    BLOB    NOT NULL,              -- vectors, live dots, clock in the store's own compact form
            body      BLOB
        ) STRICT;
        CREATE UNIQUE INDEX record_by_position ON record (zone, position);
        CREATE INDEX record_by_name ON record (zone, name) WHERE deleted = 0;
        CREATE INDEX record_by_conflict ON record (zone) WHERE conflicts > 0;

        -- The account's log, parents before children.
        CREATE TABLE account_entry (
            id    INTEGER PRIMARY KEY,
            bytes BLOB NOT NULL                      -- as signed
        ) STRICT;

        -- Devices that were met.
        CREATE TABLE peer (
            device    BLOB    PRIMARY KEY,           -- 32 bytes
            addresses TEXT    NOT NULL,              -- newest first, one a line
            last_seen INTEGER NOT NULL               -- milliseconds since 1970; 0 = never
        ) STRICT, WITHOUT ROWID;

        -- Up to where devices hold logs durably, as they said.
        CREATE TABLE acknowledgement (
            zone   INTEGER NOT NULL REFERENCES identifier,
            device INTEGER NOT NULL REFERENCES identifier,
            actor  INTEGER NOT NULL REFERENCES identifier,
            lane   INTEGER NOT NULL,
            size   INTEGER NOT NULL,                 -- leaves
            PRIMARY KEY (zone, device, actor, lane)
        ) STRICT, WITHOUT ROWID;

        -- Small values of the node's own.
        CREATE TABLE value (
            name  TEXT PRIMARY KEY,
            bytes BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        INSERT INTO store (id, feed_identity) VALUES (1, randomblob(16));
        """
}
