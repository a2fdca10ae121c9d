package import Wire

/// The outcome of receiving a run from a peer.
package enum ReceivedRun: Sendable {
    /// The run is stored, and applied as far as the operations that it depends on are here.
    case stored(AppliedOperations)
    /// All of it was held already; the log has this size.
    case alreadyHeld(size: UInt64)
    /// It begins behind the end of the held part; the log has this size.
    case misplaced(held: UInt64)
    /// The log was cut, and its effective part is held.
    ///
    /// Nothing of the run was stored. When the log was not known, its end was noted, and `freed` holds the effects on
    /// operations that had waited for it.
    case beyondCut(size: UInt64, freed: AppliedOperations?)
    /// It is a run of a control log that is as long as its author's right allows (``ControlBudget``). Nothing of it was stored.
    case beyondBudget
    /// It lies behind the place where the log's histories part. Nothing of it was stored; the proof is for the sender.
    ///
    /// Where the log is not continued behind the fork any more because of it, `stopped` holds the records whose visible state has changed.
    case beyondFork(ForkProof, stopped: [RecordRow]?)
    /// It shows that the log's author signed two histories. The log now ends where they part.
    case forked(ForkProof)
}
