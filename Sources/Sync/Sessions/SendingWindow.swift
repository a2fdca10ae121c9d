import Wire

/// The runs to a peer: the logs that it holds, the runs on their way, and the logs that have something to send.
struct SendingWindow: Sendable {
    /// The progress of one zone at the peer.
    struct ZoneProgress: Sendable {
        /// The log sizes that the peer holds durably, by its own statement.
        var theirs: [LogKey: UInt64]
        /// The log sizes that were sent, acknowledged or not.
        var sent: [LogKey: UInt64]
        /// The sizes of our runs that the peer acknowledged, and when.
        ///
        /// A peer that later states a smaller size did not want them.
        var delivered: [LogKey: Delivery] = [:]
        /// The time of its last statement; `nil` while its state is only inferred.
        var toldAt: UInt64?

        init(theirs: [LogKey: UInt64], toldAt: UInt64? = nil) {
            self.theirs = theirs
            self.toldAt = toldAt
            sent = theirs
        }
    }

    /// A run of ours that the peer has acknowledged.
    struct Delivery: Sendable {
        var size: UInt64
        var at: UInt64
    }

    /// A log that has something to send.
    struct Waiting: Sendable {
        /// The time since which it waits.
        var since: UInt64
        /// It is not sent before.
        var notBefore: UInt64
        /// Whether it may wait longer while another device delivers to the peer.
        var isForwarded: Bool
    }

    /// A run that was sent and is not acknowledged.
    struct InFlight: Sendable {
        var key: LogKey
        var size: UInt64
        var byteCount: Int
    }

    var zones: [ZoneID: ZoneProgress] = [:]
    /// Logs that have something to send, by zone.
    var dirty: [ZoneID: [LogKey: Waiting]] = [:]
    /// No log is ready before this time, unless something happens: spares looking through `dirty`.
    var idleUntil: UInt64 = .max
    var reading: Set<LogKey> = []
    /// Logs of which our newest head is read to send it, because the peer's history contradicts ours.
    private var probing: Set<LogKey> = []
    /// Logs whose newest head was sent already.
    private var probed: Set<LogKey> = []
    /// The sizes with which heads of the peer's own logs were returned to it.
    private var returned: [LogKey: UInt64] = [:]
    var inFlight: [InFlight] = []
    var inFlightByteCount = 0
    /// The time since which the first run in `inFlight` has been the next one to be answered.
    private var oldestSince: UInt64 = 0
    /// The time at which another device last delivered to the peer, and the time until which that is expected to
    /// continue.
    private var fedAt: UInt64?
    private(set) var fedUntil: UInt64 = 0
    /// The time until which the peer, which has paused this device, is left alone.
    var pausedUntil: UInt64 = 0

    /// Returns the size of a log that has been sent, as far as is known.
    func sentSize(_ key: LogKey) -> UInt64 { zones[key.zone]?.sent[key] ?? 0 }

    /// Whether runs of a zone are on their way to the peer.
    func isSending(_ zone: ZoneID) -> Bool { inFlight.contains { $0.key.zone == zone } }

    /// Whether runs of a zone are on their way to the peer, or about to be.
    func isMoving(_ zone: ZoneID) -> Bool {
        isSending(zone) || reading.contains { $0.zone == zone } || dirty[zone]?.isEmpty == false
    }

    /// Notes that another device delivered to the peer: more is expected after about the same time again.
    mutating func fed(at now: UInt64, _ limits: SyncLimits) {
        let gap = fedAt.map { now - $0 } ?? 0
        let usual = gap < limits.longestForwardDelayMilliseconds ? 2 * gap : 0
        fedAt = now
        fedUntil = now + max(usual, limits.fedMilliseconds)
    }

    /// Notes that the peer holds a log up to a size, and removes the runs up to there from those on their way.
    ///
    /// Once it holds more of a control log it may want runs that it did not want before, but for a log of which nothing
    /// shows that it grants a right.
    /// - Returns: By how much its durable size grew, and whether a run of ours did it.
    mutating func acknowledged(
        _ key: LogKey,
        size: UInt64,
        at now: UInt64,
        showsRights: Bool = true
    ) -> (grown: UInt64, isOurs: Bool) {
        guard zones[key.zone] != nil else { return (0, false) }
        let known = zones[key.zone]?.theirs[key] ?? 0
        let grown = size > known ? size - known : 0
        // A peer could name any number of logs that no device has.
        let hasRoom = (zones[key.zone]?.theirs.count ?? 0) < Limits.logCountMax || known > 0
        if grown > 0, hasRoom {
            zones[key.zone]?.theirs[key] = size
            if sentSize(key) < size { zones[key.zone]?.sent[key] = size }
            if key.lane == .control, showsRights { wantsAnew(key.zone) }
        }
        let delivered = inFlight.filter { $0.key == key && $0.size <= size }.map(\.size).max()
        if let delivered {
            zones[key.zone]?.delivered[key] = Delivery(size: delivered, at: now)
            release(at: now) { $0.key == key && $0.size <= size }
        }
        return (grown, delivered != nil)
    }

    /// Takes the sizes that the peer states as the truth, whatever was believed before.
    ///
    /// The exceptions are runs that it has acknowledged without holding them: they are not sent again for some time,
    /// because it did not want them, as the log is closed there.
    mutating func reset(_ zone: ZoneID, theirs: [LogKey: UInt64], at now: UInt64, _ limits: SyncLimits) {
        let known = zones[zone]?.theirs ?? [:]
        if theirs.contains(where: { $0.key.lane == .control && $0.value > known[$0.key] ?? 0 }) { wantsAnew(zone) }
        var progress = ZoneProgress(theirs: theirs, toldAt: now)
        progress.delivered = (zones[zone]?.delivered ?? [:]).filter { now < $0.value.at + limits.declinedMilliseconds }
        zones[zone] = progress
        rollBack(zone, at: now)
    }

    /// Handles further control operations at the peer: it may want operations now that it did not want before.
    private mutating func wantsAnew(_ zone: ZoneID) { zones[zone]?.delivered = [:] }

    /// Handles further entries of an account's log at the peer: it may want operations now that it did not, in any
    /// zone.
    mutating func wantsAnew() {
        for zone in zones.keys { wantsAnew(zone) }
    }

    /// Treats everything on its way to the peer as not sent.
    mutating func rollBack(_ zone: ZoneID, at now: UInt64) {
        if var progress = zones[zone] {
            progress.sent = progress.theirs
            for (key, delivery) in progress.delivered where delivery.size > progress.sent[key] ?? 0 {
                progress.sent[key] = delivery.size
            }
            zones[zone] = progress
        }
        release(at: now) { $0.key.zone == zone }
        dirty[zone] = nil
    }

    /// Drops the knowledge about a zone.
    mutating func forget(_ zone: ZoneID, at now: UInt64) {
        zones[zone] = nil
        rollBack(zone, at: now)
    }

    /// Notes that a run is on its way to the peer.
    mutating func send(_ run: InFlight, at now: UInt64) {
        assert(zones[run.key.zone] != nil, "runs go to peers that have stated what they hold of the zone")
        zones[run.key.zone]?.sent[run.key] = run.size
        if inFlight.isEmpty { oldestSince = now }
        inFlight.append(run)
        inFlightByteCount += run.byteCount
    }

    /// The time by which the peer should have answered the oldest run; `nil` while none is on its way.
    func stalledAt(_ limits: SyncLimits) -> UInt64? {
        inFlight.isEmpty ? nil : oldestSince + limits.stallMilliseconds
    }

    private mutating func release(at now: UInt64, _ isDone: (InFlight) -> Bool) {
        if inFlight.first.map(isDone) == true { oldestSince = now }
        for run in inFlight where isDone(run) { inFlightByteCount -= run.byteCount }
        inFlight.removeAll(where: isDone)
        assert(inFlightByteCount >= 0, "no more bytes are acknowledged than are under way")
    }

    // MARK: Contradictions

    /// Begins to read the newest head of a log, once until something is proven.
    /// - Returns: Whether it is to be read.
    mutating func beginProbe(_ key: LogKey) -> Bool {
        guard probed.insert(key).inserted else { return false }
        probing.insert(key)
        return true
    }

    /// Begins to read the newest head of a log that the peer wrote, once for each size that is held here.
    /// - Returns: Whether it is to be read.
    mutating func beginReturn(_ key: LogKey, size: UInt64) -> Bool {
        guard size > returned[key] ?? 0 else { return false }
        returned[key] = size
        return probing.insert(key).inserted
    }

    /// Whether the store's answer was read to show the hashes of a log, and not because the peer lacks it.
    func isProbe(_ run: Run?, of key: LogKey) -> Bool {
        guard probing.contains(key) else { return false }
        return run.map(\.isSkeleton) ?? !reading.contains(key)
    }

    /// The newest head of a log has been read.
    mutating func endProbe(_ key: LogKey) { probing.remove(key) }

    /// A log is known to be forked: another contradiction there is another fork.
    mutating func forked(_ key: LogKey) { probed.remove(key) }
}
