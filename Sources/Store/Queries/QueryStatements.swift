/// The statements by which queries find records through indexes.
///
/// `CROSS JOIN` keeps SQLite from beginning with another table, `INDEXED BY` from taking another way: a store whose index is
/// missing says so instead of being slow.
enum QueryStatements {
    /// A part of an index upwards: index, zone, from, up to, and behind which value and name.
    static let ascending: StaticString = """
        SELECT entry.record, coalesce(record.body, item.body), record.detail
        FROM field_entry AS entry INDEXED BY field_entry_by_key CROSS JOIN record ON record.id = entry.record
            LEFT JOIN item ON item.id = record.item
        WHERE entry.field_index = ?1 AND entry.zone = ?2 AND entry.key >= ?3 AND entry.key < ?4
            AND (entry.key, entry.name) > (?5, ?6) AND deleted = 0
        ORDER BY entry.key, entry.name
        """

    /// The same downwards: before which value and name.
    static let descending: StaticString = """
        SELECT entry.record, coalesce(record.body, item.body), record.detail
        FROM field_entry AS entry INDEXED BY field_entry_by_key CROSS JOIN record ON record.id = entry.record
            LEFT JOIN item ON item.id = record.item
        WHERE entry.field_index = ?1 AND entry.zone = ?2 AND entry.key >= ?3 AND entry.key < ?4
            AND (entry.key, entry.name) < (?5, ?6) AND deleted = 0
        ORDER BY entry.key DESC, entry.name DESC
        """

    /// Selects the records whose indexed text has all words of a pattern.
    static let search: StaticString = """
        SELECT entry.record, coalesce(record.body, item.body), record.detail
        FROM text_words CROSS JOIN text_entry AS entry ON entry.id = text_words.rowid
            CROSS JOIN record ON record.id = entry.record LEFT JOIN item ON item.id = record.item
        WHERE text_words MATCH ?1 AND entry.field_index = ?2 AND entry.zone = ?3 AND deleted = 0
        """

    /// All records of a type in the order of their names: zone, behind which name, type.
    static let scan: StaticString = """
        SELECT record.id, coalesce(record.body, item.body), record.detail
        FROM record INDEXED BY record_by_name LEFT JOIN item ON item.id = record.item
        WHERE record.zone = ?1 AND deleted = 0 AND name > ?2 AND type = ?3 ORDER BY name
        """
}
