/// Where a log with two histories ends, as the reference model is told.
package struct ReferenceFork: Equatable, Sendable {
    /// The leaves that both histories have in common: no others count.
    package var end: UInt64
    /// How far checkpoints cover one of them, if that is more: so far its totals in counters are final.
    package var covered: UInt64

    /// The end of a log.
    package init(end: UInt64, covered: UInt64) {
        self.end = end
        self.covered = covered
    }
}
