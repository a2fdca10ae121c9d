import Wire

/// One session as the core sees it: what the peer holds, what is on its way, and when to speak next.
struct PeerSession: Sendable {
    /// How far the session has come.
    enum Phase: Sendable, Equatable {
        /// The device is not in our account log: only account entries are exchanged, until a deadline.
        case confirming(until: UInt64)
        /// The device is a member.
        case active
    }

    /// What is known of one zone at the peer.
    struct ZoneProgress: Sendable {
        /// What it holds durably, as it said.
        var theirs: [LogKey: UInt64]
        /// What was sent, acknowledged or not.
        var sent: [LogKey: UInt64]

        init(theirs: [LogKey: UInt64]) {
            self.theirs = theirs
            sent = theirs
        }
    }

    /// A run that was sent and is not acknowledged.
    struct InFlight: Sendable {
        var key: LogKey
        var size: UInt64
        var byteCount: Int
    }

    let id: SessionID
    let device: DeviceID
    let binding: [UInt8]
    let isInitiator: Bool
    var phase: Phase
    var accountHeads: [Hash]
    /// Whether zones without an entry in `zones` count as equal on both sides.
    var isReconciled = false
    var zones: [ZoneID: ZoneProgress] = [:]
    /// Logs that have something to send, and not before when.
    var dirty: [LogKey: UInt64] = [:]
    var reading: Set<LogKey> = []
    var inFlight: [InFlight] = []
    var inFlightByteCount = 0
    /// Runs received and not yet applied, so that a peer which ignores the window is noticed.
    var applying: [Int] = []
    var pausedUntil: UInt64 = 0
    var isPausing = false
    var lastHeard: UInt64
    var nextPing: UInt64
    var pingSent: (nonce: UInt64, at: UInt64)?
    var nextComparison: UInt64
    /// The blinded list of the current round; dropped when a zone changes.
    var reconciler: RangeReconciler?

    init(_ opening: SessionOpening, phase: Phase, at now: UInt64, limits: SyncLimits) {
        id = opening.session
        device = opening.device
        binding = opening.binding
        isInitiator = opening.isInitiator
        accountHeads = opening.accountHeads
        self.phase = phase
        lastHeard = now
        nextPing = now
        nextComparison = now + limits.antiEntropyMilliseconds
    }

    /// What has been sent of a log, as far as is known.
    func sentSize(_ key: LogKey) -> UInt64 {
        zones[key.zone]?.sent[key] ?? 0
    }

    /// Notes that the peer holds a log up to a size, and forgets what was on its way up to there.
    /// - Returns: By how much its durable size grew.
    mutating func acknowledged(_ key: LogKey, size: UInt64) -> UInt64 {
        let known = zones[key.zone]?.theirs[key] ?? 0
        let grown = size > known ? size - known : 0
        if grown > 0 { zones[key.zone]?.theirs[key] = size }
        if sentSize(key) < size { zones[key.zone]?.sent[key] = size }
        release { $0.key == key && $0.size <= size }
        return grown
    }

    /// Takes what the peer says it holds as the truth, whatever was believed before.
    mutating func reset(_ zone: ZoneID, theirs: [LogKey: UInt64]) {
        zones[zone] = ZoneProgress(theirs: theirs)
        release { $0.key.zone == zone }
        dirty = dirty.filter { $0.key.zone != zone }
    }

    private mutating func release(_ isDone: (InFlight) -> Bool) {
        for run in inFlight where isDone(run) { inFlightByteCount -= run.byteCount }
        inFlight.removeAll(where: isDone)
    }

    /// The log to read next; control before data of the same zone, then what is nearly in step before what is far
    /// behind, so that a live change overtakes the bulk of other zones.
    /// - Complexity: O(logs with something to send).
    func nextLog(at now: UInt64, size: (LogKey) -> UInt64) -> LogKey? {
        dirty.filter { key, notBefore in
            guard notBefore <= now, !reading.contains(key) else { return false }
            guard key.lane == .data else { return true }
            return !dirty.keys.contains { $0.zone == key.zone && $0.lane == .control }
                && !reading.contains { $0.zone == key.zone && $0.lane == .control }
        }
        .map { key, _ in (key: key, deficit: size(key) &- sentSize(key)) }
        .min { left, right in
            if left.key.lane != right.key.lane { return left.key.lane < right.key.lane }
            return left.deficit != right.deficit ? left.deficit < right.deficit : left.key < right.key
        }?.key
    }
}
