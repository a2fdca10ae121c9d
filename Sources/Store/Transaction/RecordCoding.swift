import Records
import Sync
import Wire

/// The columns of one row of `record`, as `RecordColumns.list` names them.
struct RecordColumns {
    /// Zone and item as row ids.
    var zone: Int64
    var tag: RecordTag
    var isDeleted: Bool
    var name: String
    var type: String
    var version: [UInt8]
    var detail: [UInt8]
    var body: [UInt8]
    var position: UInt64
    var bySync: Bool
    /// The hash of the body: the beginning of the operation's detail when the body is an operation's, else the row's own;
    /// empty for such a row that was written before rows had hashes.
    var bodyHash: [UInt8]
    /// Whether the record had another type at some time.
    var isRetyped: Bool
    /// Whether an operation of the record is held that cannot be read here.
    var isLocked: Bool
    /// The counter of the operation whose body is shown; `nil` for a body of the row's own.
    var shownCounter: UInt64?
    /// The checksum of the rest of the row; empty for a row from before checksums were introduced.
    var checksum: [UInt8]

    /// Reads the columns 0 to 14: `record.zone, tag.tag, deleted, name, type, version, record.detail,
    /// coalesce(record.body, item.body), position, by_sync, coalesce(checksum, substr(item.detail, 1, 32)), retyped + 2 * locked,
    /// item.tag = record.id, item.first, state_checksum`.
    init(_ row: ResultRow) throws {
        zone = row.integer(0)
        tag = RecordTag(try row.digest(1))
        isDeleted = row.integer(2) != 0
        name = row.text(3)
        type = row.text(4)
        version = row.bytes(5)
        detail = row.bytes(6)
        // An empty body is a zero-length blob; neither of the two being there means that the operation was lost.
        if row.isNull(7) { throw row.damage(7) }
        body = row.bytes(7)
        position = try row.unsigned(8)
        bySync = row.integer(9) != 0
        bodyHash = row.bytes(10)
        isRetyped = row.integer(11) & 1 != 0
        isLocked = row.integer(11) & 2 != 0
        checksum = row.bytes(14)
        guard !row.isNull(12) else { return }
        if row.integer(12) != 1 { throw row.damage(12) }
        shownCounter = try row.unsigned(13) &+ 1
    }
}

/// Between `RecordRow` and the columns of its row.
///
/// The detail: `time 8 | creation dot | vector | 0, or 1 and context (0 = equal to vector) | live dots`, and, of a record
/// that is deleted with others, their names; of one with assets, the count of these names also where there are none, and the payloads.
extension SQLiteTransaction {
    /// The detail of a record.
    func detail(_ record: RecordRow) throws -> [UInt8] {
        var writer = WireWriter(capacity: 40)
        writer.writeUInt64(record.time.raw)
        try encode(record.creation, into: &writer)
        try encode(record.vector, into: &writer)
        let hasOwnContext = record.context != record.vector
        writer.writeBool(hasOwnContext)
        if hasOwnContext { try encode(record.context, into: &writer) }
        writer.writeCount(record.live.count)
        for dot in record.live {
            try encode(dot, into: &writer)
        }
        if !record.anchors.isEmpty || !record.assets.isEmpty {
            writer.writeCount(record.anchors.count)
            for name in record.anchors { writer.writeString(name) }
        }
        if !record.assets.isEmpty { writer.writeList(record.assets) }
        return writer.bytes
    }

    /// Puts a record together again.
    /// - Throws: `.corrupt` when the row is damaged.
    func record(_ columns: RecordColumns) throws -> RecordRow {
        var reader = WireReader(columns.detail)
        let time = try decoding("record") { () throws(WireError) in HybridTime(raw: try reader.readUInt64()) }
        let creation = try decodeDot(from: &reader)
        let vector = try decodeVector(from: &reader)
        let hasOwnContext = try decoding("record") { () throws(WireError) in try reader.readBool() }
        let context = hasOwnContext ? try decodeVector(from: &reader) : vector
        let liveCount = try decodeCount(from: &reader)
        var live: [Dot] = []
        for _ in 0..<liveCount {
            live.append(try decodeDot(from: &reader))
        }
        var anchors: [String] = []
        let anchorCount = reader.remaining > 0 ? try decodeCount(from: &reader) : 0
        for _ in 0..<anchorCount {
            anchors.append(
                try decoding("anchor") { () throws(WireError) in
                    try reader.readString(minimum: 1, maximum: Limits.nameByteCountMax)
                }
            )
        }
        let assets = try decodeAssets(from: &reader)
        // Else a flipped bit would show an earlier state of the record.
        guard columns.shownCounter.map({ [$0] == live.map(\.counter) }) ?? true else {
            throw StorageError(code: .corrupt, message: "a record shows the body of another operation")
        }
        guard let version = RecordVersion(columns.version) else {
            throw StorageError(code: .corrupt, message: "a record's version is damaged")
        }
        // A page has no checksum: without this a flipped bit would be shown, and signed with the record's next version.
        guard columns.bodyHash.isEmpty || Operation.bodyHash(columns.body).bytes == columns.bodyHash else {
            throw StorageError(code: .corrupt, message: "the body of a record is damaged")
        }
        let record = RecordRow(
            zone: ZoneID(try digest(columns.zone)),
            tag: columns.tag,
            name: columns.name,
            type: columns.type,
            isDeleted: columns.isDeleted,
            version: version,
            vector: vector,
            context: context,
            live: live,
            creation: creation,
            time: time,
            body: columns.body,
            anchors: anchors,
            assets: assets,
            isLocked: columns.isLocked
        )
        // The vector that a record has seen is signed with its next version: peers would wait for ever for operations
        // that do not exist.
        guard columns.checksum.isEmpty || record.checksum == columns.checksum else {
            throw StorageError(code: .corrupt, message: "the state of a record is damaged")
        }
        return try undamaged(
            record,
            "record",
            "the record with tag \(record.tag.shortText) of zone \(record.zone.shortText)"
        )
    }

    private func decodeAssets(from reader: inout WireReader) throws(StorageError) -> [PayloadID] {
        guard reader.remaining > 0 else { return [] }
        return try decoding("assets") { () throws(WireError) in
            try reader.readList(maximum: StorableLimits.assetCountMax, itemByteCountMin: Digest32.byteCount)
        }
    }

    /// The number of a record's fields that hold concurrent unequal values.
    ///
    /// Only a record that more than one actor has written can have any, so most are never decoded.
    /// - Throws: `.misuse` when the body is not a record's.
    /// - Complexity: O(bytes of the body) for a record of several actors.
    func conflictCount(_ record: RecordRow) throws -> Int {
        guard !record.isDeleted, record.context.entries.count > 1 else { return 0 }
        let content: RecordBody
        do {
            content = try record.content()
        } catch {
            throw StorageError(code: .misuse, message: "a record's body cannot be read: \(error)")
        }
        return content.fields.count { field in
            guard let first = field.entries.first else { return false }
            return field.entries.dropFirst().contains { $0.value != first.value }
        }
    }
}
