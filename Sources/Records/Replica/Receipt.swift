package import Wire

/// What became of a run that a peer sent.
package enum Receipt: Sendable {
    /// It is stored, and applied as far as what it builds on is here.
    case stored(Applied)
    /// All of it was held already; the log has this size.
    case alreadyHeld(size: UInt64)
    /// It begins behind the end of what is held; the log has this size.
    case misplaced(held: UInt64)
    /// The log belongs to a removed device, and all of it that counts is held. Nothing was stored.
    case beyondCut(size: UInt64)
    /// It shows that the log's author signed two histories. The log is now marked and takes nothing more.
    case forked(ForkProof)
}

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
    /// True when a checkpoint waits that `Replica.adoptCheckpoint` may now be able to adopt.
    package var hasCoveredCheckpoint = false

    /// Nothing done.
    package init() {}
}
