package import Wire

/// The outcome of restating the quarantined operations of forked logs.
package struct Restatement: Sendable {
    /// The records whose visible state changed, each once.
    package var changed: [RecordRow] = []
    /// The signed heads, ascending; none when there was nothing to restate.
    package var heads: [SignedTreeHead] = []
    /// Operations of forked logs whose records were restated.
    package var restatedCount: UInt64 = 0
    /// Operations that fit no record any more beside its present content; they stay quarantined.
    package var oversizedCount: UInt64 = 0
    /// True when the call ended at its bound: call again.
    package var hasMore = false
    /// The store-wide number of the commit; nil when nothing was written.
    package var number: UInt64?

    /// Creates an empty result.
    package init() {}

    /// True when the store is as it was.
    package var isEmpty: Bool { number == nil }
}
