package import Wire

/// The outcome of a commit.
package struct Commit: Sendable {
    /// The results for each request and each of its writes: the record as that write left it, or the reason for
    /// refusing the write.
    package var results: [[Result<RecordRow, WriteRefusal>]]
    /// The heads that were signed, ascending; none when every write was refused.
    package var heads: [SignedTreeHead]
    /// The records in their final states, each once.
    package var changed: [RecordRow]
    /// The log that grew.
    package var key: LogKey
    /// Its size now.
    package var size: UInt64
    /// The store-wide number of the commit; nil when nothing was written.
    package var number: UInt64?
    /// The end that the log has grown by; nil where that is more than is kept in memory, or nothing.
    package var tail: LogTail?
}
