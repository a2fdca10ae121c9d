/// Version 18: records that daemons write by themselves are counted apart from the records of programs.
enum Migration018 {
    static let sql = """
        -- Of the records that are not deleted those whose type begins with kairan., kept by every transaction.
        ALTER TABLE zone ADD COLUMN reserved_count INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE zone ADD COLUMN reserved_bytes INTEGER NOT NULL DEFAULT 0;
        -- Of these the messages.
        ALTER TABLE zone ADD COLUMN message_bytes INTEGER NOT NULL DEFAULT 0;

        UPDATE zone SET (reserved_count, reserved_bytes, message_bytes) = (
            SELECT count(*), coalesce(sum(bytes), 0), coalesce(sum(bytes) FILTER (WHERE type = 'kairan.message'), 0)
            FROM (
                SELECT type, length(CAST(name AS BLOB)) + coalesce(length(record.body), length(item.body), 0) AS bytes
                FROM record LEFT JOIN item ON item.id = record.item
                WHERE record.zone = zone.id AND record.deleted = 0 AND type >= 'kairan.' AND type < 'kairan/'
            )
        );
        """
}
