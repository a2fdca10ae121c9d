import Queries
import Records
import Sync
import Wire

/// The index entries of records.
extension SQLiteTransaction {
    /// Updates the entries of a record to its present state.
    /// - Parameters:
    ///   - record: The record, deleted or not.
    ///   - number: Its row id.
    ///   - zone: Its zone's.
    /// - Throws: `StorageError`.
    func indexRecord(_ record: RecordRow, number: Int64, zone: Int64) throws {
        let indexes = try indexes(ofZone: zone)
        guard !indexes.isEmpty else { return }
        let wanted = record.isDeleted ? [] : indexes.filter { $0.index.type.string.isBytewiseEqual(to: record.type) }
        let seen = try wanted.isEmpty ? nil : queryRecord(record)
        try indexRecord(seen, in: wanted, number: number, zone: zone)
    }

    /// Updates the entries of a record in all indexes that it belongs to.
    func indexRecord(_ record: QueryRecord?, in indexes: [StoredIndex], number: Int64, zone: Int64) throws {
        try dropEntries(of: number, exceptIn: indexes)
        guard let record else { return }
        for index in indexes {
            switch index.index.kind {
            case .value: try enter(record, number: number, zone: zone, in: index)
            case .text: try enterWords(of: record, number: number, zone: zone, in: index)
            }
        }
    }

    private func queryRecord(_ record: RecordRow) throws -> QueryRecord {
        do {
            return QueryRecord(try record.content(), modifiedMilliseconds: record.time.milliseconds)
        } catch {
            throw StorageError(code: .misuse, message: "a record's body cannot be read: \(error)")
        }
    }

    private func enter(_ record: QueryRecord, number: Int64, zone: Int64, in index: StoredIndex) throws {
        let value = record[index.index.field].flatMap { SortValue($0) }
        try sql(
            """
            INSERT INTO field_entry (record, field_index, zone, key, name) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (record, field_index) DO UPDATE SET key = excluded.key WHERE key <> excluded.key
            """
        ).run(number, index.id, zone, value?.bytes ?? SortRange.missing, record.name)
    }

    private func enterWords(of record: QueryRecord, number: Int64, zone: Int64, in index: StoredIndex) throws {
        let prefix = IndexWords.prefix(index: index.id, zone: zone)
        let words = (record[index.index.field]?.searchedTexts ?? []).flatMap(TextWords.words)
        let text = IndexWords.text(words, prefix: prefix)
        let known = try sql("SELECT id FROM text_entry WHERE record = ? AND field_index = ?")
            .first(number, index.id) { $0.integer(0) }
        if let known {
            let before = try sql("SELECT words FROM text_words WHERE rowid = ?").first(known) { $0.text(0) }
            guard before != text else { return }
            try sql("DELETE FROM text_words WHERE rowid = ?").run(known)
            try sql("INSERT INTO text_words (rowid, words) VALUES (?, ?)").run(known, text)
        } else {
            try sql("INSERT INTO text_entry (record, field_index, zone) VALUES (?, ?, ?)").run(number, index.id, zone)
            try sql("INSERT INTO text_words (rowid, words) VALUES (?, ?)").run(context.statements.lastRowID, text)
        }
    }

    /// Drops the entries that a record has in other indexes than these.
    private func dropEntries(of record: Int64, exceptIn indexes: [StoredIndex]) throws {
        let kept = Set(indexes.map(\.id))
        let values = try sql("SELECT field_index FROM field_entry WHERE record = ?").all(record) { $0.integer(0) }
        for index in values where !kept.contains(index) {
            try sql("DELETE FROM field_entry WHERE record = ? AND field_index = ?").run(record, index)
        }
        let texts = try sql("SELECT id, field_index FROM text_entry WHERE record = ?")
            .all(record) { ($0.integer(0), $0.integer(1)) }
        for (id, index) in texts where !kept.contains(index) { try dropWords(id) }
    }

    /// Drops an entry of an index on words.
    func dropWords(_ id: Int64) throws {
        try sql("DELETE FROM text_words WHERE rowid = ?").run(id)
        try sql("DELETE FROM text_entry WHERE id = ?").run(id)
    }
}

/// The words of an index as the full-text table has them: digits and letters only, so that they come back as they are.
enum IndexWords {
    /// The prefix of the words of one index and zone: no search sees the words of another.
    static func prefix(index: Int64, zone: Int64) -> String { "\(index)z\(zone)w" }

    /// The words in one text.
    static func text(_ words: [String], prefix: String) -> String {
        // The order and the number of times mean nothing to the search.
        Set(words.map(BytewiseString.init)).sorted().map { prefix + Hexadecimal.encode($0.string.utf8) }
            .joined(separator: " ")
    }

    /// A pattern in the language of the full-text table: all words, beginnings with a star.
    static func match(_ pattern: TextPattern, prefix: String) -> String {
        pattern.words.map { "\"\(prefix)\(Hexadecimal.encode($0.text.string.utf8))\"\($0.isPrefix ? "*" : "")" }
            .joined(separator: " AND ")
    }
}
