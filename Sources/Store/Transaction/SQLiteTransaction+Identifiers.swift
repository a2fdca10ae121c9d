import GRDBSQLite
import Records
import Sync
import Wire

/// Interned values and row ids.
///
/// A `number…` function looks a value up and returns `nil` for an unknown one; an `intern…` function makes the row.
extension SQLiteTransaction {
    /// The row id of a 32-byte value, or `nil` when it was never stored.
    func number(_ digest: Digest32) throws -> Int64? {
        if let known = context.numbers[digest] { return known }
        let found = try sql("SELECT id FROM identifier WHERE bytes = ?").first(digest) { $0.integer(0) }
        if let found { remember(digest, found) }
        return found
    }

    /// The row id of a 32-byte value, new if need be.
    func intern(_ digest: Digest32) throws -> Int64 {
        if let known = try number(digest) { return known }
        try sql("INSERT INTO identifier (bytes) VALUES (?)").run(digest)
        let made = context.statements.lastRowID
        remember(digest, made)
        return made
    }

    /// The 32-byte value of a row id.
    /// - Throws: `.corrupt` when there is none.
    func digest(_ number: Int64) throws -> Digest32 {
        if let known = context.digests[number] { return known }
        let bytes = try sql("SELECT bytes FROM identifier WHERE id = ?").first(number) { $0.bytes(0) }
        guard let bytes, let digest = Digest32(bytes) else {
            throw StorageError(code: .corrupt, message: "identifier \(number) is missing")
        }
        remember(digest, number)
        return digest
    }

    private func remember(_ digest: Digest32, _ number: Int64) {
        context.numbers[digest] = number
        context.digests[number] = digest
    }

    /// The row id of a log, or `nil` when nothing of it was ever stored.
    func number(_ key: LogKey) throws -> Int64? {
        guard let zone = try number(key.zone.digest), let actor = try number(key.actor.digest) else { return nil }
        return try number(LogPlace(zone: zone, actor: actor, lane: key.lane.rawValue))
    }

    /// The row id of a log by its parts.
    func number(_ place: LogPlace) throws -> Int64? {
        if let known = context.logNumbers[place] { return known }
        let found = try sql("SELECT id FROM log WHERE zone = ? AND actor = ? AND lane = ?")
            .first(place.zone, place.actor, Int64(place.lane)) { $0.integer(0) }
        if let found { context.logNumbers[place] = found }
        return found
    }

    /// The row id of a log, new if need be.
    func intern(_ key: LogKey) throws -> Int64 {
        let place = LogPlace(
            zone: try intern(key.zone.digest),
            actor: try intern(key.actor.digest),
            lane: key.lane.rawValue
        )
        if let known = try number(place) { return known }
        try sql("INSERT INTO log (zone, actor, lane) VALUES (?, ?, ?)")
            .run(place.zone, place.actor, Int64(place.lane))
        let made = context.statements.lastRowID
        context.logNumbers[place] = made
        return made
    }

    /// The row id of a record tag, or `nil` when no operation ever carried it.
    func number(_ tag: RecordTag, zone: Int64) throws -> Int64? {
        let place = TagPlace(zone: zone, tag: tag)
        if let known = context.tagNumbers[place] { return known }
        let found = try sql("SELECT id FROM tag WHERE zone = ? AND tag = ?").first(zone, tag) { $0.integer(0) }
        context.tagNumbers[place] = .some(found)
        return found
    }

    /// The row id of a record tag, new if need be.
    func intern(_ tag: RecordTag, zone: Int64) throws -> Int64 {
        if let known = try number(tag, zone: zone) { return known }
        try sql("INSERT INTO tag (zone, tag) VALUES (?, ?)").run(zone, tag)
        let made = context.statements.lastRowID
        context.tagNumbers[TagPlace(zone: zone, tag: tag)] = .some(made)
        context.newTags.insert(made)
        return made
    }
}

extension Digest32: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 4) { words in
            words.initializeElement(at: 0, to: word0.bigEndian)
            words.initializeElement(at: 1, to: word1.bigEndian)
            words.initializeElement(at: 2, to: word2.bigEndian)
            words.initializeElement(at: 3, to: word3.bigEndian)
            return sqlite3_bind_blob(statement, index, words.baseAddress, 32, SQLValue.copied)
        }
    }
}

extension Identifier: SQLBindable {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        digest.bind(to: statement, at: index)
    }
}

extension ResultRow {
    /// A column of 32 bytes.
    /// - Throws: `.corrupt` for any other number of them.
    func digest(_ column: Int32) throws(StorageError) -> Digest32 {
        guard let start = sqlite3_column_blob(handle, column), sqlite3_column_bytes(handle, column) == 32 else {
            throw damage(column)
        }
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        return Digest32(word0: word(0), word1: word(8), word2: word(16), word3: word(24))
    }
}
