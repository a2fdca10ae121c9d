package import Queries
import Records
import Sodium
import Wire

/// The records that a reader of the feed of changes keeps: those of one type for which a condition holds.
///
/// The feed keeps no state of a reader. So a changed record that is not (or no longer) among them is reported as
/// such, whether the reader knew it or not. Then, at the end of the feed, a copy keyed by name holds exactly the
/// results of a query with this condition.
package struct FeedFilter: Sendable, Hashable {
    /// The type and the condition; its order means nothing here.
    package let query: Query
    /// The identity of the query in the seal of a token: 32 bytes that no other query has, however its text was
    /// written.
    let name: [UInt8]

    /// A filter.
    /// - Parameters:
    ///   - type: The records' type.
    ///   - predicate: The condition; `nil` = all of the type.
    package init(type: String, predicate: Predicate? = nil) {
        query = Query(type: type, predicate: predicate)
        let words = query.identity.withUnsafeBytes { Blake2b.words32(.feedFilter, $0) }
        var writer = WireWriter(capacity: 32)
        for word in [words.first, words.second, words.third, words.fourth] { writer.writeUInt64(word) }
        name = writer.bytes
    }

    /// Whether a record has the type.
    func isOfType(_ record: RecordRow) -> Bool { record.type.isBytewiseEqual(to: query.type.string) }

    /// Returns the news of a changed record.
    /// - Parameters:
    ///   - change: The record as it is now.
    ///   - begin: The feed's end when the reader had nothing: no other state of a record up to here was ever
    ///     reported.
    /// - Returns: The news; nil when the reader has nothing to do.
    /// - Throws: `ReplicaError.damaged` when the record's body cannot be read.
    func news(of change: ChangeRow, begin: UInt64) throws -> FeedEntry.News? {
        let record = change.record
        let isOfType = isOfType(record)
        if isOfType, !record.isDeleted {
            let content = try record.content()
            if query.matches(QueryRecord(content, modifiedMilliseconds: record.time.milliseconds)) {
                return .record(change)
            }
        }
        // A reader that began later never learnt of it; nor of a record of another type, unless its type has changed.
        guard change.position > begin, isOfType || change.isRetyped else { return nil }
        return record.isDeleted ? .record(change) : .outside(change)
    }
}
