internal import KairanInterface

/// The writes of this mount, beside the change feed that tells of them later.
///
/// An answer and the feed come on two ways. A change that the feed tells of may be older than an answer that the tree shows already, and
/// the version does not say so. So the feed is asked to wait for the change of the answer: the daemon is asked for the record in place of
/// any other change. And where the feed tells of a record while a write of it is under way, the answer may be the older one of both.
struct OwnWrites: Sendable, Hashable {
    private struct Writing: Hashable {
        var count = 0
        var isTold = false
    }

    private var writing: [Name: Writing] = [:]
    /// The versions of answers that the feed has not told of yet.
    private var expected: [Name: String] = [:]

    /// The number of records that are written, or of which the feed is to tell.
    var count: Int { writing.count + expected.count }

    /// Notes that a record is about to be written, or asked for.
    mutating func begin(_ record: Name) {
        writing[record, default: Writing()].count += 1
    }

    /// Notes that the answer has come.
    /// - Returns: Whether the feed has told of the record meanwhile, so that the answer may be older.
    mutating func end(_ record: Name) -> Bool {
        guard var entry = writing[record] else { return false }
        entry.count -= 1
        writing[record] = entry.count > 0 ? entry : nil
        return entry.isTold
    }

    /// Notes that the tree shows the version of an answer.
    mutating func expect(_ version: String, of record: Name) { expected[record] = version }

    /// Takes note of a change that the feed tells of.
    /// - Parameters:
    ///   - record: The record.
    ///   - version: The version.
    /// - Returns: The version that the tree shows where the change may be older than that; `nil` where the change is taken in.
    mutating func told(_ record: Name, _ version: String) -> String? {
        let shown = expected[record]
        // An earlier write of this mount is no news beside a later one.
        guard shown != version else {
            expected[record] = nil
            return nil
        }
        writing[record]?.isTold = true
        return shown
    }

    /// Takes note of the record as the daemon has it, asked for because of a change that may be older.
    /// - Parameters:
    ///   - record: The record.
    ///   - version: Its version; `nil` where it is deleted or was not to be had.
    ///   - shown: The version that the tree showed when the daemon was asked.
    /// - Returns: Whether it is taken in; if not, a further write has made the tree newer.
    mutating func asked(_ record: Name, _ version: String?, insteadOf shown: String) -> Bool {
        guard expected[record] == shown else { return false }
        // The feed will tell of that version; of any other one it has told, or the record is past it.
        if version != shown { expected[record] = nil }
        return true
    }

    /// Forgets everything, because all records are read anew.
    mutating func reset() { expected = [:] }
}
