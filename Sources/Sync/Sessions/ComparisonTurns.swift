import Wire

/// When the zones are compared with a peer, and when it is asked about single ones.
struct ComparisonTurns: Sendable {
    /// The time of the next request about a zone in which operations wait.
    struct WaitingAsk: Sendable {
        var notBefore: UInt64
        /// The time from that question to the one after it.
        var delay: UInt64
    }

    /// The time of the next comparison.
    var next: UInt64
    /// The blinded list of the current round; dropped when a zone changes.
    var reconciler: RangeReconciler?
    /// Whether zones of which nothing is known at the peer are treated as equal on both sides.
    var isReconciled = false
    /// Whether the comparison under way was begun by us, so that it is on us to compare again.
    private var hasOpened = false
    /// The delay before the next comparison after a difference, in milliseconds; grows while comparisons lead to
    /// nothing.
    private var followUpMilliseconds: UInt64
    /// The time at which a run last came through, in either direction.
    private var lastProgress: UInt64?
    /// The time at which the peer was asked for the state of each zone, until it answers.
    private(set) var asked: [ZoneID: UInt64] = [:]
    /// The zones in which operations wait, once the peer was asked about them.
    private(set) var waitingAsks: [ZoneID: WaitingAsk] = [:]
    /// The time at which the peer is asked next if operations wait then, comparisons aside; `.max` while none are
    /// known to.
    private(set) var nextWaitingAsk: UInt64 = .max

    init(isInitiator: Bool, at now: UInt64, _ limits: SyncLimits) {
        next = now + (isInitiator ? 2 * limits.antiEntropyMilliseconds : limits.answerMilliseconds)
        followUpMilliseconds = limits.followUpMilliseconds
    }

    /// The time at which the peer is compared with, or asked, next.
    var deadline: UInt64 { min(next, nextWaitingAsk) }

    // MARK: Comparisons

    /// This side begins a comparison: the other side takes every second turn.
    mutating func begin(at now: UInt64, _ limits: SyncLimits) {
        next = now + 2 * limits.antiEntropyMilliseconds
        hasOpened = true
    }

    /// The comparison was not begun here, or is over.
    mutating func end() { hasOpened = false }

    /// Both sides are equal.
    mutating func foundEqual(_ limits: SyncLimits) { followUpMilliseconds = limits.followUpMilliseconds }

    /// Notes that a run came through, in either direction.
    mutating func progressed(at now: UInt64, _ limits: SyncLimits) {
        lastProgress = now
        followUpMilliseconds = limits.followUpMilliseconds
    }

    /// Whether a run came through a moment ago.
    func isProgressing(at now: UInt64, _ limits: SyncLimits) -> Bool {
        lastProgress.map { now < $0 + limits.askMilliseconds } ?? false
    }

    /// Schedules another comparison soon after a difference, so that "in sync" is known when it is true, but less and
    /// less often while nothing changes, since two histories of one log differ for ever.
    mutating func followUp(at now: UInt64, _ limits: SyncLimits) {
        guard hasOpened else { return }
        hasOpened = false
        next = min(next, now + followUpMilliseconds)
        followUpMilliseconds = min(2 * followUpMilliseconds, 2 * limits.antiEntropyMilliseconds)
    }

    // MARK: Single zones

    /// The peer is to be asked for the state of a zone; once until it answers.
    /// - Returns: Whether it is asked now.
    mutating func ask(_ zone: ZoneID, at now: UInt64, _ limits: SyncLimits) -> Bool {
        if let asked = asked[zone], now < asked + limits.askMilliseconds { return false }
        asked[zone] = now
        return true
    }

    /// The peer has stated the state of a zone, or is to be asked again at once.
    /// - Returns: Whether it was asked.
    @discardableResult
    mutating func answered(_ zone: ZoneID) -> Bool { asked.removeValue(forKey: zone) != nil }

    /// The peer is to be asked about zones in which operations wait, less and less often: they may wait for a log
    /// without an effective part, and such logs are in no digest.
    /// - Returns: The zones about which it is asked now, in the given order.
    mutating func askForWaiting(_ zones: [ZoneID], at now: UInt64, _ limits: SyncLimits) -> [ZoneID] {
        let before = waitingAsks
        waitingAsks = [:]
        var due: [ZoneID] = []
        for zone in zones {
            var ask = before[zone] ?? WaitingAsk(notBefore: now, delay: limits.followUpMilliseconds)
            if ask.notBefore <= now {
                due.append(zone)
                ask.notBefore = now + ask.delay
                ask.delay = min(2 * ask.delay, limits.waitingMilliseconds)
            }
            waitingAsks[zone] = ask
        }
        // Not with the next comparison alone: this side may have begun one just before the operations came, and the
        // next is two minutes away then.
        nextWaitingAsk = waitingAsks.values.map(\.notBefore).min() ?? .max
        return due
    }

    /// Operations of a zone have begun to wait: the peer is asked if they still do in a moment.
    mutating func askSoonForWaiting(at now: UInt64, _ limits: SyncLimits) {
        nextWaitingAsk = min(nextWaitingAsk, now + limits.followUpMilliseconds)
    }

    /// Asks again after a change of the account log: logs for which operations wait may have been cut, as other
    /// devices answer when asked.
    mutating func askAnewForWaiting(at now: UInt64, _ limits: SyncLimits) {
        waitingAsks = [:]
        askSoonForWaiting(at: now, limits)
    }
}
