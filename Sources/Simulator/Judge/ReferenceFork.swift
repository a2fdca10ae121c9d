/// The end of a log with two histories, for the reference model.
package struct ReferenceFork: Equatable, Sendable {
    /// The leaves that both histories have in common: no others are effective.
    package var end: UInt64
    /// The size up to which checkpoints cover one history, if that is more: its totals in counters are final up to
    /// there.
    package var covered: UInt64

    /// The end of a log.
    package init(end: UInt64, covered: UInt64) {
        self.end = end
        self.covered = covered
    }
}
