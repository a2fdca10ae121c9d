import Records
import Wire

/// The rows of zones, logs and newest heads that a connection has read or written.
///
/// Nearly all work on a zone reads its row, whose key is sealed, and the rows of its logs, several times in a
/// transaction. The writing connection keeps them from one transaction to the next, since no other connection writes;
/// a rollback drops all of them, because some may have been undone. A reading transaction has its own, for its
/// snapshot. A row is in here only as the table has it, so it was checked when it was read or saved.
struct KnownRows {
    /// More rows than this are dropped between transactions: a bound on memory, at about a kilobyte a row.
    private static let countMax = 8_192

    private var zones: [ZoneID: ZoneRow] = [:]
    private var logs: [ZoneID: KnownLogs] = [:]
    private var logCount = 0

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

    /// The newest head of a log; `nil` when it is not known here, whether one is stored or not.
    func newestHead(_ key: LogKey) -> HeadRow? { logs[key.zone]?.newestHeads[key] }

    /// Notes a zone's row as it is stored now.
    mutating func note(_ zone: ZoneRow) { zones[zone.id] = zone }

    /// Notes a log's row as it is stored now.
    mutating func note(_ log: LogRow) {
        if logs[log.key.zone, default: KnownLogs()].note(log) { logCount += 1 }
    }

    /// Notes the rows of all logs of a zone, ascending by key.
    mutating func note(_ rows: [LogRow], of zone: ZoneID) {
        logCount += rows.count - (logs[zone]?.rows.count ?? 0)
        logs[zone, default: KnownLogs()].noteAll(rows)
    }

    /// Notes the newest head of a log.
    mutating func note(newest head: HeadRow, of key: LogKey) {
        logs[key.zone, default: KnownLogs()].newestHeads[key] = head
    }

    /// Notes that a head was inserted.
    mutating func noteInsertion(of head: HeadRow, in key: LogKey) {
        guard let known = newestHead(key), known.size < head.size else { return }
        note(newest: head, of: key)
    }

    /// Notes that heads of a log were deleted.
    mutating func noteDeletion(ofHeads sizes: [UInt64], in key: LogKey) {
        guard let known = newestHead(key), sizes.contains(known.size) else { return }
        logs[key.zone]?.newestHeads[key] = nil
    }

    /// Drops everything once it is much.
    mutating func trim() {
        if zones.count + logCount > Self.countMax { self = KnownRows() }
    }
}

/// The rows of logs of one zone.
private struct KnownLogs {
    /// Ascending by key.
    private(set) var rows: [LogRow] = []
    /// Whether these are all logs of the zone.
    private(set) var isComplete = false
    /// The newest heads of logs, where they are known.
    var newestHeads: [LogKey: HeadRow] = [:]

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
    /// - Returns: Whether it is a further one.
    mutating func note(_ row: LogRow) -> Bool {
        let place = place(of: row.key)
        if isAt(place, row.key) {
            rows[place] = row
            return false
        }
        rows.insert(row, at: place)
        return true
    }

    mutating func noteAll(_ all: [LogRow]) {
        rows = all
        isComplete = true
    }
}
