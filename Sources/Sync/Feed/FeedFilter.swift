package import Queries
import Records
import Sodium
import Wire

/// Which records a reader of the feed of changes keeps: those of one type for which a condition holds.
///
/// Nothing is remembered of a reader. So a changed record that is not (or no longer) among them is told as such, whether the
/// reader knew it or not; then a copy by names has, at the end of the feed, exactly what a query with this condition answers.
package struct FeedFilter: Sendable, Hashable {
    /// The type and the condition; its order means nothing here.
    package let query: Query
    /// What stands for it in the seal of a token: 32 bytes that no other question has, however its text was written.
    let name: [UInt8]

    /// A filter.
    /// - Parameters:
    ///   - type: The records' type.
    ///   - predicate: What must hold for them; `nil` = all of the type.
    package init(type: String, predicate: Predicate? = nil) {
        query = Query(type: type, predicate: predicate)
        let words = query.identity.withUnsafeBytes { Blake2b.words32(.feedFilter, $0) }
        var writer = WireWriter(capacity: 32)
        for word in [words.first, words.second, words.third, words.fourth] { writer.writeUInt64(word) }
        name = writer.bytes
    }

    /// What is to be told of a changed record.
    /// - Parameters:
    ///   - change: The record as it is now.
    ///   - begin: What lies up to here was never told otherwise: the feed's end when the reader had nothing.
    /// - Returns: The news; nil when the reader has nothing to do.
    /// - Throws: `ReplicaError.damaged` when the record's body cannot be read.
    func news(of change: ChangeRow, begin: UInt64) throws -> FeedEntry.News? {
        let record = change.record
        let isOfType = record.type.isBytewiseEqual(to: query.type.string)
        if isOfType, !record.isDeleted {
            let content = try record.content()
            if query.matches(QueryRecord(content, modifiedMilliseconds: record.time.milliseconds)) {
                return .record(change)
            }
        }
        // A reader that began later never heard of it; and of another type it was never, unless the type has changed.
        guard change.position > begin, isOfType || change.isRetyped else { return nil }
        return record.isDeleted
            ? .record(change) : PlantedBug.filteredReaderForgetsTheRest.isActive ? nil : .outside(change)
    }
}
