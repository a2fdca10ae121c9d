/// Version 6: a record may be deleted with another one.
enum Migration006 {
    static let sql = """
        -- Which records are deleted with the record of a name, whether that exists or not; kept with every record.
        CREATE TABLE anchor (
            zone   INTEGER NOT NULL,                 -- identifier
            target TEXT    NOT NULL,                 -- the name
            record INTEGER NOT NULL,                 -- tag
            PRIMARY KEY (zone, target, record)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX anchor_by_record ON anchor (record);
        """
}
