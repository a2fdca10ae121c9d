package import Wire

/// The effects of a change of cuts.
package struct RulingOutcome: Sendable {
    /// Records whose visible state changed.
    package var changed: [RecordRow] = []
    /// Operations that are no longer effective.
    package var quarantinedCount: UInt64 = 0
    /// Logs held here whose tree at the cut is not the one the cut names: this replica holds another history of them.
    package var mismatched: [LogKey] = []

    /// Creates an empty result.
    package init() {}

    /// Adds the changes of a further ruling on the same zone.
    package mutating func add(_ next: RulingOutcome) {
        changed += next.changed
        quarantinedCount += next.quarantinedCount
        mismatched += next.mismatched.filter { !mismatched.contains($0) }
    }
}
