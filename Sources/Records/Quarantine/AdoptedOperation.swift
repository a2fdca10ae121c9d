package import Wire

/// The outcome of adopting a quarantined operation.
package struct AdoptedOperation: Sendable {
    /// The record, if a reader sees another one than before.
    package var changed: [RecordRow] = []
    /// The heads that were signed; none when the operation was adopted before.
    package var heads: [SignedTreeHead] = []
    /// The store-wide number of the commit; nil when nothing was written.
    package var number: UInt64?

    /// Creates an empty result.
    package init() {}
}
