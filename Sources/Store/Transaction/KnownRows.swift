import Records
import Sync
import Wire

/// The rows of zones, logs, newest heads and the node's own records that a connection has read or written.
///
/// Nearly all work on a zone reads its row, whose key is sealed, and the rows of its logs, several times in a
/// transaction. The writing connection keeps them from one transaction to the next, since no other connection writes;
/// a rollback drops all of them, because some may have been undone. A reading transaction has its own, for its
/// snapshot. A row is in here only as the table has it, so it was checked when it was read or saved.
///
/// Overflow policy: rows of about ``byteCountMax`` bytes are noted, each time that one is noted; then all are dropped.
struct KnownRows {
    /// Bytes of rows that may be noted before all are dropped: a bound on memory.
    ///
    /// A head, or the proof of a fork, may name thousands of logs.
    private static let byteCountMax = 16 << 20

    private var zones: [ZoneID: ZoneRow] = [:]
    private var logs: [ZoneID: KnownLogs] = [:]
    /// Records of the account's own zone, which writes of programs look up: the schemas, above all.
    private var records: [ZoneID: [RecordTag: RecordRow]] = [:]
    private var notedByteCount = 0

    /// The row of a zone; `nil` when it is not known here, whether it is stored or not.
    func zone(_ id: ZoneID) -> ZoneRow? { zones[id] }

    /// The row of a log; `nil` when it is not known here, and `.some(nil)` when it is known that none is stored.
    func log(_ key: LogKey) -> LogRow?? {
        guard let known = logs[key.zone] else { return nil }
        let place = known.place(of: key)
        if known.isAt(place, key) { return known.rows[place] }
        return known.isComplete ? .some(nil) : nil
    }

    /// All logs of a zone, ascending by key; `nil` when they are not all known here.
    func logs(of zone: ZoneID) -> [LogRow]? {
        guard let known = logs[zone], known.isComplete else { return nil }
        return known.rows
    }

    /// The newest heads of a log; `nil` when none of them is known here, whether one is stored or not.
    func heads(_ key: LogKey) -> KnownHeads? { logs[key.zone]?.heads[key] }

    /// A record of one of the node's own zones; `nil` when it is not known here, whether one is stored or not.
    func record(_ tag: RecordTag, in zone: ZoneID) -> RecordRow? { records[zone]?[tag] }

    /// Notes a record's row as it is stored now, if its zone is known to be one of the node's own.
    mutating func note(_ record: RecordRow) {
        guard zones[record.zone]?.isInternal ?? false else { return }
        makeRoom(for: record.memory)
        // Its zone may just have been dropped: without it, a later row of this record would not be noted.
        guard zones[record.zone] != nil else { return }
        records[record.zone, default: [:]][record.tag] = record
    }

    /// Notes a zone's row as it is stored now.
    mutating func note(_ zone: ZoneRow) {
        makeRoom(for: zone.memory)
        zones[zone.id] = zone
    }

    /// Notes a log's row as it is stored now.
    mutating func note(_ log: LogRow) {
        makeRoom(for: log.memory)
        logs[log.key.zone, default: KnownLogs()].note(log)
    }

    /// Notes the rows of all logs of a zone, ascending by key.
    mutating func note(_ rows: [LogRow], of zone: ZoneID) {
        makeRoom(for: rows.reduce(0) { $0 + $1.memory })
        logs[zone, default: KnownLogs()].noteAll(rows)
    }

    /// Notes the newest head of a log.
    mutating func note(newest head: HeadRow, of key: LogKey) {
        guard head.size > 0 else { return }
        makeRoom(for: head.memory)
        logs[key.zone, default: KnownLogs()].heads[key] = KnownHeads(newest: head)
    }

    /// Notes all heads of a log above a size, ascending.
    mutating func note(_ heads: [HeadRow], above size: UInt64, of key: LogKey) {
        makeRoom(for: heads.suffix(KnownHeads.countMax).reduce(0) { $0 + $1.memory })
        logs[key.zone, default: KnownLogs()].heads[key] = KnownHeads(heads, above: size)
    }

    /// Notes the greatest head of a log of at most a size as it was read, which is not the newest one; `nil` when none is stored.
    mutating func noteRead(_ head: HeadRow?, atOrBelow size: UInt64, of key: LogKey) {
        guard head.map({ $0.size > 0 }) ?? true, heads(key) != nil else { return }
        makeRoom(for: head?.memory ?? 0)
        logs[key.zone]?.heads[key]?.noteRead(head, atOrBelow: size)
    }

    /// Notes that a head was inserted.
    mutating func noteInsertion(of head: HeadRow, in key: LogKey) {
        guard heads(key) != nil else { return }
        makeRoom(for: head.memory)
        if logs[key.zone]?.heads[key]?.noteInsertion(of: head) == false { logs[key.zone]?.heads[key] = nil }
    }

    /// Notes that heads of a log were deleted.
    mutating func noteDeletion(ofHeads sizes: [UInt64], in key: LogKey) {
        logs[key.zone]?.heads[key]?.noteDeletion(of: sizes)
    }

    /// Drops everything once much was noted.
    private mutating func makeRoom(for byteCount: Int) {
        notedByteCount += byteCount
        guard notedByteCount > Self.byteCountMax else { return }
        self = KnownRows()
        notedByteCount = byteCount
    }
}

// About the bytes that rows take in memory.
extension HeadRow {
    /// The bytes of the head as it was signed, and of the logs that it names.
    fileprivate var memory: Int { 512 + 2 * signed.bodyBytes.count }
}

extension RecordRow {
    fileprivate var memory: Int {
        512 + 64 * vector.count + name.utf8.count + body.count + Digest32.byteCount * assets.count
    }
}

extension LogRow {
    fileprivate var memory: Int {
        768 + 2 * (forkProof.map { $0.first.bodyBytes.count + $0.second.bodyBytes.count } ?? 0)
    }
}

extension ZoneRow {
    fileprivate var memory: Int {
        let checkpoints = candidates + (adopted.map { [$0] } ?? [])
        let positionCount = checkpoints.reduce(watermark.count) { $0 + $1.logs.count + $1.lapsed.count }
        return 1_024 + 80 * positionCount + production.count
    }
}

/// The rows of logs of one zone.
private struct KnownLogs {
    /// Ascending by key.
    private(set) var rows: [LogRow] = []
    /// Whether these are all logs of the zone.
    private(set) var isComplete = false
    /// The newest heads of logs, where they are known.
    var heads: [LogKey: KnownHeads] = [:]

    /// The place of a log, or the place that it would have.
    func place(of key: LogKey) -> Int {
        var (lower, upper) = (0, rows.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if rows[middle].key < key { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }

    /// Whether a log is at the place that was found for it.
    func isAt(_ place: Int, _ key: LogKey) -> Bool {
        place < rows.count && rows[place].key == key
    }

    /// Enters or replaces a row.
    mutating func note(_ row: LogRow) {
        let place = place(of: row.key)
        if isAt(place, row.key) { rows[place] = row } else { rows.insert(row, at: place) }
    }

    mutating func noteAll(_ all: [LogRow]) {
        rows = all
        isComplete = true
    }
}
