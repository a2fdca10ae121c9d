/// What a replica did when a log grew or something it waited for came.
package struct Applied: Sendable {
    /// Records whose visible state changed, each once, in their new state.
    package var changed: [RecordRow] = []
    /// Operations that were stored.
    package var storedCount: UInt64 = 0
    /// Operations that were applied, earlier stored ones included.
    package var appliedCount: UInt64 = 0
    /// The size of the log that the run belonged to.
    package var size: UInt64 = 0
    /// True when control operations were applied: the zone's row may have changed.
    package var hasControlChanges = false
    /// True when the log was taken back first, to where others hold it as a gap.
    package var isTakenBack = false
    /// True when a checkpoint waits that `Replica.adoptCheckpoint` may now be able to adopt.
    package var hasCoveredCheckpoint = false

    /// Nothing done.
    package init() {}
}
