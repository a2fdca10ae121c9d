import Wire

/// One session as the core sees it: the state of the peer, the messages on their way, and the time to send next.
struct PeerSession: Sendable {
    /// The phase of the session.
    enum Phase: Sendable, Equatable {
        /// The device is not in its account's log as we hold it, or was removed, or has called by an earlier key of the account's
        /// devices: only account entries are exchanged until a deadline, and late writes of a removed device of this account are taken.
        case confirming(until: UInt64)
        /// The device is a member.
        case active
    }

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

    /// A run that was received and is not applied yet.
    struct Applying: Sendable {
        var key: LogKey
        var size: UInt64
        var byteCount: Int
        /// Whether it is applied with a live set from a peer.
        var hasLiveSet = false
    }

    /// The time of the next request about a zone in which operations wait.
    struct WaitingAsk: Sendable {
        var notBefore: UInt64
        /// The time from that question to the one after it.
        var delay: UInt64
    }

    let id: SessionID
    let device: DeviceID
    /// The account that the device belongs to.
    let account: AccountID
    let binding: [UInt8]
    let isInitiator: Bool
    let openedAt: UInt64
    var phase: Phase
    /// The revision of the messages that the peer, which dialled, states; 0 where it has stated none.
    let remoteRevision: UInt8
    /// The program that runs at the peer, by its own statement.
    var program: ProgramNote?
    /// Whether the peer was sent the program that runs here.
    var hasToldProgram = false
    /// Whether the peer can connect to this device, once it was asked.
    var reach: SyncCore.ReachQuestion?
    /// Whether the device named an account that was unknown, and has not proved since that it belongs to it: it may
    /// have named any account.
    var isUnproven = false
    /// Whether the channel uses an earlier key of the account's devices: the session never becomes active.
    let isByEarlierKey: Bool
    /// The entry that made the key which the peer has delivered: it takes the channel for one under an earlier key.
    var handedKey: Hash?
    /// The time at which the session is ended, to call again by that key.
    var callsAgainAt: UInt64?
    /// The heads of accounts' logs that the peer stated last.
    var accountHeads: [AccountID: [Hash]]
    /// Our heads when the peer was last sent the entries that it lacked: it has all entries that they cover.
    var accountTold: [AccountID: [Hash]] = [:]
    /// The time at which the peer was last asked for the log of each account that is not known here.
    var askedAccounts: [AccountID: UInt64] = [:]
    /// Whether the peer, a device of this account, is sent other accounts' heads again with its first comparison: it
    /// may not have known this device before, and dropped them.
    var tellsHeadsAgain = false
    /// The logs of accounts that are not known here and that the peer, a device of this account, has.
    var fetches = LogFetches()
    /// The message that is arriving in parts.
    var arriving = MessageAssembly()
    /// The time by which that must be complete if the peer's device or account is not known here; nil while none has
    /// begun.
    var arrivingUntil: UInt64?
    /// The entries received of an account's log of which more is to come.
    var arrivingEntries = ArrivingEntries()
    /// Zones whose terms were sent to the peer.
    var toldTerms: Set<ZoneID> = []
    /// Zones that this account only reads, as far as is known here, and that the peer, a device of the account, has
    /// named.
    var named: Set<ZoneID> = []
    /// Zones that are being made here by the peer's terms.
    var joining: [ZoneID: ZoneTerms] = [:]
    /// Zones that could not be made here, as on a full disk: it is tried again when the peer names them.
    var unmade: [ZoneID: ZoneTerms] = [:]
    /// Zones in which the peer was sent this device's writes without a right.
    var deposited: Set<ZoneID> = []
    /// The late writes that this device, which was removed, still delivers to the peer; `nil` while it was not.
    var lateWrites: LateWrites?
    /// Zones in which the peer, which was removed, was sent the sizes that are held of its logs.
    var toldHeld: Set<ZoneID> = []
    /// The time at which the session ends because the two accounts share nothing any more; it leaves time to send the
    /// reason.
    var leavingAt: UInt64?
    /// The facts by which that was decided last; see ``SyncCore/sharingRevision``.
    var sharingRevision: UInt64?
    /// Whether zones without an entry in `zones` are treated as equal on both sides.
    var isReconciled = false
    var zones: [ZoneID: ZoneProgress] = [:]
    /// The time at which the peer was asked for the state of each zone, until it answers.
    var asked: [ZoneID: UInt64] = [:]
    /// The zones in which operations wait, once the peer was asked about them.
    var waitingAsks: [ZoneID: WaitingAsk] = [:]
    /// The time at which the peer is asked next if operations wait then, comparisons aside; `.max` while none are
    /// known to.
    var nextWaitingAsk: UInt64 = .max
    /// Logs that have something to send, by zone.
    var dirty: [ZoneID: [LogKey: Waiting]] = [:]
    /// No log is ready before this time, unless something happens: spares looking through `dirty`.
    var idleUntil: UInt64 = .max
    var reading: Set<LogKey> = []
    /// Logs of which our newest head is read to send it, because the peer's history contradicts ours.
    var probing: Set<LogKey> = []
    /// Logs whose newest head was sent already.
    var probed: Set<LogKey> = []
    var inFlight: [InFlight] = []
    var inFlightByteCount = 0
    /// The time since which the first run in `inFlight` has been the next one to be answered.
    var oldestSince: UInt64 = 0
    /// The time at which a run last came through, in either direction.
    var lastProgress: UInt64?
    /// The time at which another device last delivered to the peer, and the time until which that is expected to
    /// continue.
    var fedAt: UInt64?
    var fedUntil: UInt64 = 0
    /// Runs received and not yet applied, so that a peer which ignores the window is noticed.
    var applying: [Applying] = []
    /// Our sizes of logs at which we answered the peer that its run did not fit.
    var refusedAt: [LogKey: UInt64] = [:]
    /// Whether a page of a zone's live set is being read for the peer.
    var isReadingLiveSet = false
    var pausedUntil: UInt64 = 0
    var isPausing = false
    var lastHeard: UInt64
    var nextPing: UInt64
    var pingSent: (nonce: UInt64, at: UInt64)?
    /// The time that the last ping took to be answered, in milliseconds.
    var roundTripMilliseconds: UInt64?
    var nextComparison: UInt64
    /// Whether the comparison under way was begun by us, so that it is on us to compare again.
    var hasOpened = false
    /// The delay before the next comparison after a difference, in milliseconds; grows while comparisons lead to
    /// nothing.
    var followUpMilliseconds: UInt64
    /// The blinded list of the current round; dropped when a zone changes.
    var reconciler: RangeReconciler?

    init(_ opening: SessionOpening, phase: Phase, at now: UInt64, limits: SyncLimits) {
        id = opening.session
        device = opening.device
        account = opening.account
        binding = opening.binding
        isInitiator = opening.isInitiator
        isByEarlierKey = opening.isByEarlierKey
        remoteRevision = opening.remoteRevision
        openedAt = now
        accountHeads = [opening.account: opening.accountHeads]
        self.phase = phase
        lastHeard = now
        nextPing = now
        nextComparison = now + (isInitiator ? 2 * limits.antiEntropyMilliseconds : limits.answerMilliseconds)
        followUpMilliseconds = limits.followUpMilliseconds
    }

    /// Returns the size of a log that has been sent, as far as is known.
    func sentSize(_ key: LogKey) -> UInt64 {
        zones[key.zone]?.sent[key] ?? 0
    }

    /// Whether runs of a zone are on their way to the peer.
    func isSending(_ zone: ZoneID) -> Bool {
        inFlight.contains { $0.key.zone == zone }
    }

    /// Whether the two are at work, so that a difference is no surprise.
    func isWorking(at now: UInt64, limits: SyncLimits) -> Bool {
        if let lastProgress, now < lastProgress + limits.askMilliseconds { return true }
        return !inFlight.isEmpty || !reading.isEmpty || !applying.isEmpty
    }

    /// Notes that a run came through, in either direction.
    mutating func progressed(at now: UInt64, limits: SyncLimits) {
        lastProgress = now
        followUpMilliseconds = limits.followUpMilliseconds
    }

    /// Notes that another device delivered to the peer: more is expected after about the same time again.
    mutating func fed(at now: UInt64, limits: SyncLimits) {
        let gap = fedAt.map { now - $0 } ?? 0
        let usual = gap < limits.longestForwardDelayMilliseconds ? 2 * gap : 0
        fedAt = now
        fedUntil = now + max(usual, limits.fedMilliseconds)
    }

    /// Notes that the peer holds a log up to a size, and removes the runs up to there from those on their way.
    /// - Returns: By how much its durable size grew, and whether a run of ours did it.
    mutating func acknowledged(_ key: LogKey, size: UInt64, at now: UInt64) -> (grown: UInt64, isOurs: Bool) {
        guard zones[key.zone] != nil else { return (0, false) }
        let known = zones[key.zone]?.theirs[key] ?? 0
        let grown = size > known ? size - known : 0
        // A peer could name any number of logs that no device has.
        let hasRoom = (zones[key.zone]?.theirs.count ?? 0) < Limits.logCountMax || known > 0
        if grown > 0, hasRoom {
            zones[key.zone]?.theirs[key] = size
            if sentSize(key) < size { zones[key.zone]?.sent[key] = size }
            if key.lane == .control { wantsAnew(key.zone) }
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
    mutating func reset(_ zone: ZoneID, theirs: [LogKey: UInt64], at now: UInt64, limits: SyncLimits) {
        let known = zones[zone]?.theirs ?? [:]
        if theirs.contains(where: { $0.key.lane == .control && $0.value > known[$0.key] ?? 0 }) { wantsAnew(zone) }
        var progress = ZoneProgress(theirs: theirs, toldAt: now)
        progress.delivered = (zones[zone]?.delivered ?? [:]).filter { now < $0.value.at + limits.declinedMilliseconds }
        zones[zone] = progress
        rollBack(zone, at: now)
    }

    /// Handles further control operations at the peer: it may want operations now that it did not want before.
    private mutating func wantsAnew(_ zone: ZoneID) {
        zones[zone]?.delivered = [:]
    }

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

    /// A zone was not made here.
    mutating func failed(_ zone: ZoneID, at now: UInt64, limits: SyncLimits) {
        if let terms = joining[zone], unmade.count < limits.unmadeZoneCountMax { unmade[zone] = terms }
        forget(zone, at: now)
    }

    /// Drops the knowledge about a zone.
    mutating func forget(_ zone: ZoneID, at now: UInt64) {
        zones[zone] = nil
        asked[zone] = nil
        joining[zone] = nil
        rollBack(zone, at: now)
    }

    /// Notes that a run is on its way to the peer.
    mutating func send(_ run: InFlight, at now: UInt64) {
        assert(phase == .active, "runs go to devices that are confirmed")
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
}

extension PeerSession {
    /// Whether the peer's device or account is not known here.
    var isOfStranger: Bool { isUnproven || phase != .active }

    /// The time by which a stranger's message in parts must be complete; nil while none has begun.
    var partsDeadline: UInt64? { isOfStranger ? arrivingUntil : nil }
}
