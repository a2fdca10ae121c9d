/// Version 2: the number of bytes of a zone's records.
///
/// An application may have a limit on what it stores, which must not cost a pass over its records with every write.
enum Migration002 {
    static let sql = """
        -- Names and bodies of the records that are not deleted, kept by every transaction.
        ALTER TABLE zone ADD COLUMN record_bytes INTEGER NOT NULL DEFAULT 0;

        UPDATE zone SET record_bytes = (
            SELECT coalesce(sum(length(CAST(name AS BLOB)) + coalesce(length(record.body), length(item.body), 0)), 0)
            FROM record LEFT JOIN item ON item.id = record.item
            WHERE record.zone = zone.id AND record.deleted = 0
        );
        """
}
