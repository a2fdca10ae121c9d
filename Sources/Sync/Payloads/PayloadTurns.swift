import Wire

/// The search for wanted payloads, of which the store may know many more than the core.
///
/// The core knows some at a time, in the order of the store. Where all places are taken, payloads that no session has are *put aside* for
/// those that follow; at the end of the order the next *round* begins after a pause, which is longer the more rounds have gained nothing. So
/// payloads that cannot be had keep none waiting that can, and peers are not asked for them without end.
struct PayloadTurns: Sendable {
    /// The number behind which the search goes on.
    private var cursor: UInt64 = 0
    /// The highest number that the store has examined in this round.
    private var examined: UInt64 = 0
    /// Whether there may be others behind it.
    private(set) var isUnfinished = true
    /// Whether the store has answered in this round.
    private var hasAnswered = false
    /// Whether the store is being asked.
    private(set) var isAsking = false
    /// Whether wanted payloads in front of the cursor are not known to the core.
    private var hasAside = false
    /// The expectations of payloads that were put aside, as of then.
    private(set) var aside: [PayloadID: PayloadProspect] = [:]
    private var begun: UInt64 = 0
    private var pause: UInt64 = 0
    private var nextRound: UInt64 = 0

    /// The time of the next round; nil where none is due.
    var deadline: UInt64? { hasAside && !isUnfinished ? nextRound : nil }

    /// Notes that sessions may have payloads that none had before, or that one was had: the next round begins soon.
    mutating func hurry(_ limits: SyncLimits) {
        pause = 0
        nextRound = min(nextRound, begun + limits.payloadRoundMilliseconds)
    }

    /// Notes that payloads are wanted in front of the cursor that the core does not know: the next round begins at once.
    mutating func restart(at now: UInt64) {
        (hasAside, nextRound, pause) = (true, now, 0)
    }

    /// Begins the next round if it is due.
    mutating func turn(at now: UInt64, _ limits: SyncLimits) {
        guard hasAside, !isUnfinished, now >= nextRound else { return }
        (cursor, examined, begun, aside) = (0, 0, now, [:])
        (isUnfinished, hasAnswered, hasAside) = (true, true, false)
        pause = min(max(2 * pause, limits.payloadRoundMilliseconds), limits.payloadRoundMillisecondsMax)
    }

    /// Puts a payload aside.
    mutating func putAside(_ payload: PayloadID, _ prospect: PayloadProspect, _ limits: SyncLimits) {
        hasAside = true
        // From here on not all in front of it are known.
        cursor = max(cursor, examined)
        if aside.count < limits.payloadAsideCountMax { aside[payload] = prospect }
    }

    /// Whether the search goes on.
    func isDue(room: Int) -> Bool { isUnfinished && room > 0 && hasAnswered && !isAsking }

    /// Takes the next question to the store: the number behind which to search, and how many to find; nil where none is due.
    ///
    /// It is due where there may be wanted payloads that were not before, where there is room for others, and where a reader waits for one
    /// that the core does not know.
    mutating func take(
        isNew: Bool,
        room: Int,
        hasUrged: Bool,
        _ limits: SyncLimits
    ) -> (after: UInt64, limit: Int)? {
        if isNew {
            isUnfinished = true
            // All in front of the cursor are known otherwise.
            if hasAside { hurry(limits) } else { cursor = 0 }
        }
        let isDue = isNew && room > 0 || self.isDue(room: room)
        guard isDue || hasUrged && !isAsking else { return nil }
        isAsking = true
        return (cursor, isDue ? room : 0)
    }

    /// Takes the answer of the store.
    mutating func answered(through: UInt64, isAtEnd: Bool, at now: UInt64, _ limits: SyncLimits) {
        (isAsking, hasAnswered) = (false, true)
        examined = max(examined, through)
        cursor = max(cursor, through)
        guard isAtEnd, isUnfinished else { return }
        isUnfinished = false
        nextRound = now + max(pause, limits.payloadRoundMilliseconds)
    }
}
