/// The tables of a store.
///
/// The reasons for their shape, in the order of weight:
/// - Rows that carry bytes are appended in the order in which they arrive, under integer row ids: inserting under a
///   random key dirties a page per row and was measured three to five times slower.
/// - Each random key (a record tag, a name) stands in one small index and nowhere else.
/// - Identifiers of 32 bytes are interned, so that rows and indexes hold integers of one to three bytes.
/// - A body is stored once: the record that shows an operation unchanged points to it.
enum Tables {
    /// The statements that make all tables of an empty database.
    static let sql =
        replica + node + indexes + messages + payloads + assets + parcels + """
            INSERT INTO store (id, feed_identity) VALUES (1, randomblob(16));
            """

    /// The store's own row, zones, logs and records.
    private static let replica = """
        -- One row of facts about the store as a whole; written with every transaction that changes one of them.
        CREATE TABLE store (
            id              INTEGER PRIMARY KEY CHECK (id = 1),
            feed_identity   BLOB    NOT NULL CHECK (length(feed_identity) = 16), -- random, made with the store
            commit_number   INTEGER NOT NULL DEFAULT 0,  -- commits made so far; the newest one's number
            change_position INTEGER NOT NULL DEFAULT 0,  -- newest position in the change feed
            clock           BLOB,                        -- the hybrid clock, 8 bytes big-endian; NULL = never saved
            incarnation     BLOB,                        -- 16 bytes; NULL = none yet
            inbox_position  INTEGER NOT NULL DEFAULT 0,  -- messages are taken from the change feed up to here
            message_number  INTEGER NOT NULL DEFAULT 0,  -- the newest message's number
            payload_number  INTEGER NOT NULL DEFAULT 0   -- the newest payload's number
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
            record_count INTEGER NOT NULL DEFAULT 0, -- records that are not deleted, kept by every transaction
            record_bytes   INTEGER NOT NULL DEFAULT 0, -- names and bodies of the same records, kept likewise
            "right"        INTEGER,                  -- the right of this device's account, interned; NULL = the owner's
            role           BLOB,                     -- the role that it gives; NULL = owner
            production     BLOB,                     -- the effective promotions, encoded; NULL = in development
            sealing        BLOB,                     -- the key of new records; NULL = not derived yet
            needs_keys     INTEGER NOT NULL DEFAULT 0,
            keys_due       INTEGER,
            keys_stamp     BLOB,                     -- the state of the accounts' devices behind these three
            reserved_count INTEGER NOT NULL DEFAULT 0, -- of the records those of types kairan.*
            reserved_bytes INTEGER NOT NULL DEFAULT 0,
            message_bytes  INTEGER NOT NULL DEFAULT 0, -- of these the messages
            name           BLOB                      -- UTF-8, from the genesis; NULL without one
        ) STRICT;
        CREATE INDEX zone_by_name ON zone (name) WHERE name IS NOT NULL;

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
            "right"      INTEGER,                    -- the right in its heads, interned; NULL = the genesis account's
            role         BLOB,                       -- the role that it gives its author; NULL = owner
            hole         INTEGER,                    -- first effective leaf that was purged; NULL = none
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
            body      BLOB,
            retyped   INTEGER NOT NULL DEFAULT 0,    -- 1 when the record had another type at some time
            locked    INTEGER NOT NULL DEFAULT 0,    -- 1 while it has an operation under a key not held
            checksum  BLOB,                          -- of a body that is no operation's
            state_checksum BLOB                      -- 16 bytes, see RecordRow.checksum
        ) STRICT;
        CREATE UNIQUE INDEX record_by_position ON record (zone, position);
        CREATE INDEX record_by_name ON record (zone, name) WHERE deleted = 0;
        CREATE INDEX record_by_conflict ON record (zone) WHERE conflicts > 0;
        CREATE INDEX record_locked ON record (zone) WHERE locked = 1;
        -- The feed of messages and receipts, without a pass over all other changes: by type, and by the beginning of their
        -- names, since a record may lose its type.
        CREATE INDEX record_message ON record (position)
            WHERE type IN ('kairan.message', 'kairan.receipt') OR (name >= 'message/' AND name < 'message0');

        -- Records that are deleted with the record of a name, whether that exists or not; kept with every record.
        CREATE TABLE anchor (
            zone   INTEGER NOT NULL,                 -- identifier
            target TEXT    NOT NULL,                 -- the name
            record INTEGER NOT NULL,                 -- tag
            PRIMARY KEY (zone, target, record)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX anchor_by_record ON anchor (record);
        """

    /// The account, its peers, and small values.
    private static let node = """
        -- The account's log, parents before children.
        CREATE TABLE account_entry (
            id    INTEGER PRIMARY KEY,
            bytes BLOB NOT NULL                      -- as signed
        ) STRICT;

        -- Devices that were met.
        CREATE TABLE peer (
            device    BLOB    PRIMARY KEY,           -- 32 bytes
            addresses TEXT    NOT NULL,              -- newest first, one a line
            last_seen INTEGER NOT NULL,              -- milliseconds since 1970; 0 = never
            channel   INTEGER NOT NULL DEFAULT 0     -- highest version of the channel ever spoken; 0 = unknown
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

        -- The upkeep of zones: work that is done or under way, and work that waits.
        CREATE TABLE upkeep (
            zone            INTEGER PRIMARY KEY REFERENCES identifier,
            turn_count      INTEGER NOT NULL,        -- decisions that the rows of zone and logs do not show
            pruned_under    BLOB,                    -- checkpoint under which all is pruned, 32 bytes; NULL = none
            checkpoint_made INTEGER NOT NULL,        -- milliseconds since 1970, as all times here; 0 = never
            checkpoint_held INTEGER,                 -- since when the next checkpoint waits; NULL = it does not
            statements_held INTEGER,                 -- since when statements wait; NULL = none do
            withdrawal      TEXT                     -- record behind which it goes on; NULL = nothing to withdraw
        ) STRICT;

        -- The change feed's entries about zones themselves.
        CREATE TABLE feed_mark (
            zone    INTEGER PRIMARY KEY REFERENCES identifier,
            place   INTEGER NOT NULL,                -- ZonePlace
            changed INTEGER NOT NULL,                -- position of the newest news
            entered INTEGER NOT NULL                 -- position at which it came to its place; 0 = hidden
        ) STRICT;
        CREATE INDEX feed_mark_by_change ON feed_mark (changed);

        -- Offers of ownership as they are known here.
        CREATE TABLE noted_offer (
            zone   INTEGER PRIMARY KEY REFERENCES identifier,
            learnt INTEGER NOT NULL,                 -- milliseconds since 1970
            entry  BLOB    NOT NULL,                 -- the operation that makes the offer, 32 bytes
            answer BLOB                              -- as signed; NULL = none yet
        ) STRICT;

        -- Logs of this store that continue elsewhere: how much of them other devices hold.
        CREATE TABLE shared_log (
            zone  INTEGER NOT NULL REFERENCES identifier,
            actor INTEGER NOT NULL REFERENCES identifier,
            lane  INTEGER NOT NULL,
            size  INTEGER NOT NULL,                  -- leaves
            PRIMARY KEY (zone, actor, lane)
        ) STRICT, WITHOUT ROWID;

        -- The active devices of known accounts.
        CREATE TABLE known_device (
            account BLOB    NOT NULL,                -- 32 bytes
            device  BLOB    NOT NULL,                -- 32 bytes
            since   INTEGER NOT NULL,                -- milliseconds since 1970
            PRIMARY KEY (account, device)
        ) STRICT, WITHOUT ROWID;

        -- Small values under names that are known only as the program runs.
        CREATE TABLE value (
            name  TEXT PRIMARY KEY,
            bytes BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Indexes on fields, so that queries need not look at every record.
    private static let indexes = """
        -- Indexes that containers ask for. An id is never given again, so that what is left of a dropped one is nobody's.
        CREATE TABLE field_index (
            id        INTEGER PRIMARY KEY AUTOINCREMENT,
            container TEXT    NOT NULL,
            type      TEXT    NOT NULL,
            field     TEXT    NOT NULL,              -- its name
            is_system INTEGER NOT NULL,              -- 1 for a system field
            kind      INTEGER NOT NULL,              -- 0 values, 1 words
            state     INTEGER NOT NULL,              -- 0 being built, 1 ready, 2 dropped: its entries are being removed
            built     INTEGER NOT NULL DEFAULT 0     -- records up to this row id are in it
        ) STRICT;
        CREATE UNIQUE INDEX field_index_by_name ON field_index (container, type, field, is_system, kind)
            WHERE state < 2;

        -- The containers for which it is noted which indexes programs have requested here, and these in their order.
        CREATE TABLE index_request (
            container TEXT PRIMARY KEY
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE requested_index (
            container TEXT    NOT NULL REFERENCES index_request,
            place     INTEGER NOT NULL,
            type      TEXT    NOT NULL,
            field     TEXT    NOT NULL,              -- its name
            is_system INTEGER NOT NULL,              -- 1 for a system field
            kind      INTEGER NOT NULL,              -- 0 values, 1 words
            PRIMARY KEY (container, place)
        ) STRICT, WITHOUT ROWID;

        -- Deleted zones whose entries are still to be removed.
        CREATE TABLE index_sweep (
            zone INTEGER PRIMARY KEY                 -- identifier
        ) STRICT;

        -- One row for each record and index on values.
        CREATE TABLE field_entry (
            record      INTEGER NOT NULL,            -- record
            field_index INTEGER NOT NULL,            -- field_index
            zone        INTEGER NOT NULL,            -- identifier
            key         BLOB    NOT NULL,            -- the value's bytes that sort; X'FF' where there is none
            name        TEXT    NOT NULL,            -- the record's name, which decides where values are equal
            PRIMARY KEY (record, field_index)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX field_entry_by_key ON field_entry (field_index, zone, key, name);

        -- One row for each record and index on words, and the words under the same number.
        CREATE TABLE text_entry (
            id          INTEGER PRIMARY KEY,
            record      INTEGER NOT NULL,            -- record
            field_index INTEGER NOT NULL,            -- field_index
            zone        INTEGER NOT NULL             -- identifier
        ) STRICT;
        CREATE UNIQUE INDEX text_entry_by_record ON text_entry (record, field_index);
        CREATE INDEX text_entry_by_index ON text_entry (field_index, zone);
        -- The words are numbers of index and zone and hexadecimal digits, so that nothing has to be known of languages here.
        CREATE VIRTUAL TABLE text_words USING fts5(words, detail = none, columnsize = 0, tokenize = 'ascii');
        """

    /// Messages and prekeys.
    private static let messages = """
        -- Messages, as this device has them.
        CREATE TABLE message (
            number   INTEGER PRIMARY KEY,            -- in the order of arrival; never reused
            id       BLOB    NOT NULL UNIQUE,        -- 16 bytes
            zone     INTEGER NOT NULL,               -- identifier
            tag      BLOB    NOT NULL,               -- the message's record, 32 bytes
            actor    INTEGER NOT NULL,               -- identifier: of the write that made the record
            counter  INTEGER NOT NULL,               -- of the same
            state    INTEGER NOT NULL,               -- 1 sent, 2 waiting, 3 finished, 4 for others, 5 failed,
                                                     -- 6 earlier, 7 fetching, 8 hidden
            expires  INTEGER,                        -- milliseconds since 1970; NULL = never
            owes     INTEGER NOT NULL,               -- 1 while an answer is to be written
            secret   BLOB,                           -- sealed, see StoredSecrets; NULL = none, or not for this device
            payload  BLOB,                           -- 32 bytes; NULL = the content is in the record
            settled  INTEGER NOT NULL DEFAULT 0,     -- 1 when the fate of the sent payload is known from all readers
            held     INTEGER                         -- since when a further sealing waits; milliseconds since 1970
        ) STRICT;
        CREATE INDEX message_by_zone ON message (zone, number);
        CREATE INDEX message_by_place ON message (zone, actor, counter);
        CREATE INDEX message_waiting ON message (number) WHERE state = 2;
        CREATE INDEX message_owing ON message (zone, number) WHERE owes = 1;
        CREATE INDEX message_resealing ON message (zone, number) WHERE owes = 1 AND state = 1;
        CREATE INDEX message_held ON message (held, number) WHERE held IS NOT NULL;
        CREATE INDEX message_expiring ON message (expires, number) WHERE expires IS NOT NULL;
        CREATE INDEX message_failed ON message (number) WHERE state = 5;
        CREATE INDEX message_payload ON message (payload) WHERE payload IS NOT NULL;
        CREATE INDEX message_unsettled ON message (number)
            WHERE state = 1 AND payload IS NOT NULL AND settled = 0;

        -- The prekeys of this device.
        CREATE TABLE prekey (
            id         BLOB    PRIMARY KEY,          -- 16 bytes
            zone       INTEGER NOT NULL,             -- identifier
            seed       BLOB    NOT NULL,             -- sealed, see StoredSecrets
            begun      INTEGER NOT NULL,             -- milliseconds since 1970, as all times here
            stated     INTEGER NOT NULL,
            superseded INTEGER,                      -- NULL = the present one
            state      INTEGER NOT NULL              -- 0 unused, 1 used, 2 a message missed
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX prekey_present ON prekey (zone) WHERE superseded IS NULL;
        CREATE INDEX prekey_superseded ON prekey (superseded) WHERE superseded IS NOT NULL;
        """

    /// Payloads, and the promises of relays to keep some.
    private static let payloads = """
        -- Payloads: bytes that travel apart from the records that name them.
        CREATE TABLE payload (
            number     INTEGER PRIMARY KEY,          -- in the order in which they became known; never reused
            id         BLOB    UNIQUE,               -- 32 bytes; NULL = its end is not known
            zone       INTEGER NOT NULL,             -- identifier
            state      INTEGER NOT NULL,             -- 1 uploading, 2 wanted, 3 present, 4 released, 5 remote, 6 evicted,
                                                     -- 7 linked
            size       INTEGER NOT NULL,             -- bytes of the content, without padding
            secret     BLOB    NOT NULL,             -- sealed, see StoredSecrets
            begun      INTEGER NOT NULL,             -- milliseconds since 1970
            sender     INTEGER,                      -- identifier; NULL = uploaded through the local interface
            kept_until INTEGER,                      -- milliseconds since 1970; NULL = not kept for others
            kept_for   INTEGER NOT NULL DEFAULT 1,   -- asked by 1 the sender for a message, 2 it for a record, 3 others too
            is_asset   INTEGER NOT NULL,             -- 1 when a record names it by an asset, or did
            unnamed_since INTEGER,                   -- milliseconds since 1970; NULL = named, or not noted yet
            chunk_size INTEGER NOT NULL,             -- plain bytes of each chunk but the last
            to_mark    INTEGER NOT NULL DEFAULT 0    -- 1 while unnamed_since contradicts the references to an asset
        ) STRICT;
        CREATE INDEX payload_wanted ON payload (number) WHERE state = 2;
        CREATE INDEX payload_present ON payload (number) WHERE state = 3 AND is_asset = 1;
        CREATE INDEX payload_keepable ON payload (number) WHERE is_asset = 1 AND state IN (3, 6, 7);
        CREATE INDEX payload_to_mark ON payload (number) WHERE to_mark = 1;
        -- Those of which nothing may be needed: assets that a record names, mostly many, are none of them; on a relay
        -- those that are kept for others, mostly all, before their time is over.
        CREATE INDEX payload_loose ON payload (number)
            WHERE (is_asset = 0 OR unnamed_since IS NOT NULL) AND kept_until IS NULL OR state = 4;
        CREATE INDEX payload_kept ON payload (kept_until)
            WHERE kept_until IS NOT NULL AND state <> 4 AND (is_asset = 0 OR unnamed_since IS NOT NULL);
        -- The bytes of payloads that are kept for others, changed with each of them: a relay adds up none.
        CREATE TABLE kept_sum (
            sender   INTEGER NOT NULL,               -- identifier
            kept_for INTEGER NOT NULL,               -- as of payloads
            bytes    INTEGER NOT NULL,               -- with padding; those of chunks that are not here yet included
            PRIMARY KEY (sender, kept_for)
        ) STRICT, WITHOUT ROWID;
        -- A row is made from the outline's entry of a chunk; its bytes follow. They lie in the file of the payload, in
        -- the directory payloads; those of a payload of one small chunk lie here.
        CREATE TABLE chunk (
            payload  INTEGER NOT NULL,
            position INTEGER NOT NULL,
            hash     BLOB    NOT NULL,               -- 32 bytes
            held     INTEGER,                        -- sealed bytes; NULL = not here yet
            bytes    BLOB,                           -- as sealed; NULL = in the file, or not here yet
            PRIMARY KEY (payload, position)
        ) STRICT;
        CREATE INDEX chunk_missing ON chunk (payload, position) WHERE held IS NULL;
        -- Promises of relays to this device.
        CREATE TABLE custody (
            payload BLOB    NOT NULL,                -- 32 bytes
            zone    INTEGER NOT NULL,                -- identifier
            relay   INTEGER NOT NULL,                -- identifier
            until   INTEGER NOT NULL,                -- milliseconds since 1970, by the relay's clock
            kind    INTEGER NOT NULL,                -- asked for 1 a message, 2 a record
            PRIMARY KEY (payload, relay)
        ) STRICT;
        -- Those for messages are released when no message waits for them; of contents of records there may be very many.
        CREATE INDEX custody_by_relay ON custody (relay, kind, payload);
        """

    /// Assets of records, and their evictions.
    private static let assets = """
        -- Records that name payloads; kept with every record.
        CREATE TABLE asset_reference (
            zone    INTEGER NOT NULL,                -- identifier
            tag     BLOB    NOT NULL,                -- of the record, 32 bytes: in the order of pages
            payload BLOB    NOT NULL,                -- 32 bytes
            seen    INTEGER NOT NULL,                -- 1 once the device has decided about it
            PRIMARY KEY (zone, tag, payload)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX asset_reference_by_payload ON asset_reference (payload);
        CREATE INDEX asset_reference_unseen ON asset_reference (seen) WHERE seen = 0;
        -- Which assets are fetched, and kept at relays, of the zones with a rule of their own.
        CREATE TABLE asset_policy (
            zone   INTEGER PRIMARY KEY,              -- identifier
            kind   INTEGER NOT NULL DEFAULT 0,       -- 0 the device's own, 1 never, 2 on demand, 3 up to a size, 4 always
            size   INTEGER NOT NULL DEFAULT 0,       -- bytes, of the third kind; else 0
            relays INTEGER NOT NULL DEFAULT 1        -- 1 where the relays of the account keep them
        ) STRICT;
        -- Attempts of this device to evict payloads; removed at each start.
        CREATE TABLE eviction (
            payload BLOB    PRIMARY KEY,             -- 32 bytes
            attempt INTEGER NOT NULL                 -- its number in the process
        ) STRICT, WITHOUT ROWID;
        -- Promises of this device to evict payloads not before a time.
        CREATE TABLE retention (
            payload BLOB    PRIMARY KEY,             -- 32 bytes
            until   INTEGER NOT NULL                 -- milliseconds since 1970
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX retention_by_end ON retention (until, payload);
        -- The last statements of this account's other devices whether they hold payloads.
        CREATE TABLE holder (
            payload BLOB    NOT NULL,                -- 32 bytes
            device  INTEGER NOT NULL,                -- identifier
            holds   INTEGER NOT NULL,                -- 1 where the device holds it
            stated  INTEGER NOT NULL,                -- milliseconds since 1970
            due     INTEGER NOT NULL,                -- the device is asked again from then on, milliseconds since 1970
            PRIMARY KEY (payload, device)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX holder_by_due ON holder (device, due, payload);
        -- Files of other programs with the content of payloads, which are not part of the store.
        CREATE TABLE asset_link (
            payload  BLOB    NOT NULL,               -- 32 bytes
            root     TEXT    NOT NULL,               -- as the configuration has it
            path     BLOB    NOT NULL,               -- beneath the root
            size     INTEGER NOT NULL,               -- bytes of the file
            modified INTEGER NOT NULL,               -- nanoseconds since 1970
            changed  INTEGER NOT NULL,               -- nanoseconds since 1970
            inode    INTEGER NOT NULL,               -- all 64 bits of it
            device   INTEGER NOT NULL,               -- of the file system, all 64 bits
            state    INTEGER NOT NULL,               -- 1 sound, 2 changed, 3 ambiguous, 4 missing
            PRIMARY KEY (payload, root, path)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX asset_link_by_place ON asset_link (root, path);
        """

    /// Parcels on relays.
    private static let parcels = """
        -- Parcels left on relays for unreachable devices.
        CREATE TABLE posted_parcel (
            number        INTEGER PRIMARY KEY,       -- in the order of the uploads
            relay         BLOB    NOT NULL,          -- 32 bytes
            device        INTEGER NOT NULL,          -- identifier: the recipient
            parcel        BLOB    NOT NULL,          -- 32 bytes
            day           INTEGER NOT NULL,          -- days since 1970: of its mailbox
            until         INTEGER NOT NULL,          -- milliseconds since 1970, by the relay's clock
            missing_since INTEGER,                   -- milliseconds since 1970; NULL = it is there
            stretches     BLOB    NOT NULL,          -- the ranges of logs in it, as on the wire
            UNIQUE (relay, device, parcel)
        ) STRICT;
        -- The sizes of logs uploaded for a device, on any relay.
        CREATE TABLE posted_log (
            device INTEGER NOT NULL,                 -- identifier
            zone   INTEGER NOT NULL,                 -- identifier
            actor  INTEGER NOT NULL,                 -- identifier
            lane   INTEGER NOT NULL,
            size   INTEGER NOT NULL,
            PRIMARY KEY (device, zone, actor, lane)
        ) STRICT, WITHOUT ROWID;
        """
}
