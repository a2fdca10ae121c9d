/// Version 5: indexes on fields, so that queries need not look at every record.
enum Migration005 {
    static let sql = """
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
}
