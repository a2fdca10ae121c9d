/// The decisions of a sync engine: it takes in events and returns the next effect.
///
/// Time is an argument, in milliseconds of any clock that does not step back. The driver performs one effect after
/// the other; the application's changes and the daemon's events may come in at any time.
package struct EngineCore: Sendable {
    /// The zones that the engine synchronises.
    package struct Scope: Sendable {
        var container: String
        var databases: Set<DaemonClient.ZoneDatabase>

        /// The zones of a container that some of its databases show.
        package init(container: String, databases: Set<DaemonClient.ZoneDatabase>) {
            self.container = container
            self.databases = databases
        }

        func contains(_ zone: Zone) -> Bool {
            zone.container.isSameName(as: container) && databases.contains { $0.rawValue == zone.database.rawValue }
        }
    }

    private enum Link {
        case down(retryAt: Int64)
        case opening
        case up
    }

    /// The most changes in one request.
    package static let batchCountMax = 200

    /// All that is known.
    var state: SyncEngine.State
    /// The state that may be stored at any time: the newest state whose events the application has handled, and all
    /// changes that the application has added since.
    package internal(set) var storable: SyncEngine.State
    let scope: Scope
    private var link = Link.down(retryAt: .min)
    private var linkPause = RetryPause(longestMilliseconds: 15_000)
    private var events: [SyncEngine.Event] = []
    /// Whether the application has not received the newest state.
    var isStateNews = false
    private var hasFetchedLast = false

    // Fetching.
    var areZonesOld: Bool { listsTaken < listsWanted }
    var looksEverywhere = false
    var foreignZones: Set<String> = []
    /// Zones whose changes must be fetched, in order.
    var dirtyZones: [String] = []
    /// The zone whose changes the application is receiving now.
    var toldZone: String?
    var fetchPause = RetryPause()
    /// The number of times that a list of zones was wanted, and the values of it for which a list was last requested
    /// and last received.
    private var listsWanted = 0
    private var listsAsked = 0
    private var listsTaken = 0
    /// Why the last attempt failed, if none has succeeded or was asked for since.
    var fetchFailure: Problem?

    // Sending.
    var sendPause = RetryPause()
    /// Why the last attempt failed, if none was asked for since.
    var sendFailure: Problem?
    var batchCountLimit = EngineCore.batchCountMax
    /// The changes selected for the next request.
    var batch: [BatchItem] = []
    /// Whether the application has supplied the contents to save.
    var isBatchDescribed = false
    /// The changes refused because others changed the record; the engine has to read the record and decide.
    var clashes: [Clash] = []
    /// Sent without an answer, in this run or an earlier one: it may have been done.
    var uncertain: Set<RecordID>
    /// Between attempts to change zones; the records of other zones are sent meanwhile.
    var zoneChangePause = RetryPause()
    /// The change of a zone that is on its way.
    var zoneChange: PendingZoneChanges.Entry?
    /// The contents that the application chose when it resolved conflicts.
    var resolved: [RecordID: SyncEngine.Draft] = [:]

    /// Goes on behind a state.
    package init(scope: Scope, state: SyncEngine.State) {
        self.scope = scope
        self.state = state
        self.storable = state
        self.uncertain = Set(state.pending.inOrder.map(\.change.id))
    }

    // MARK: Input

    /// The application has changed something.
    package mutating func add(_ changes: [SyncEngine.PendingChange]) {
        for change in changes {
            state.add(change)
            storable.add(change)
            resolved[state.known(change.id)] = nil
        }
        isStateNews = isStateNews || !changes.isEmpty
    }

    /// The application does not want changes sent any more; one that is on its way may still be done.
    package mutating func remove(_ ids: [RecordID]) {
        for id in ids {
            state.pending.remove(state.known(id))
            storable.pending.remove(storable.known(id))
            resolved[state.known(id)] = nil
        }
        isStateNews = isStateNews || !ids.isEmpty
    }

    /// The stream of events is open: from now on every change is noticed, and earlier ones have to be looked for.
    package mutating func connected() {
        link = .up
        linkPause.succeed()
        wantZones()
        looksEverywhere = true
    }

    /// The stream of events could not be opened, or has ended.
    package mutating func disconnected(at now: Int64) {
        link = .down(retryAt: linkPause.fail(at: now))
    }

    /// Something changed in a zone.
    package mutating func noticed(zone: String) {
        if state.zones[zone] != nil {
            markDirty(zone)
        } else if !foreignZones.contains(zone) {
            wantZones()
        }
    }

    /// A zone appeared, changed or was deleted.
    package mutating func noticedZones() { wantZones() }

    /// A list of zones is to be asked for; one that is on its way does not do, since it may have been made before.
    mutating func wantZones() { listsWanted += 1 }

    /// The list has come that was asked for last.
    mutating func tookZones() { listsTaken = listsAsked }

    // MARK: Output

    /// Whether there are events or a state that the application has not received.
    var hasSomethingToTell: Bool { !events.isEmpty || isStateNews }

    /// The next thing to do.
    /// - Parameters:
    ///   - now: The time.
    ///   - goals: The goals that callers wait for. The core works for them even while the stream of events is down.
    ///   - isAutomatic: Whether the core works for everything that comes up, and not for the goals alone.
    /// - Returns: The effect; `.rest` while there is nothing to do.
    package mutating func next(
        at now: Int64,
        for goals: Set<EngineGoal> = [],
        isAutomatic: Bool = true
    ) -> EngineEffect {
        if !events.isEmpty { return .deliver(events.removeFirst()) }
        if isStateNews {
            isStateNews = false
            storable = state
            return .deliver(.stateUpdate(storable))
        }
        var wanted: Set<EngineGoal> = isAutomatic ? [.fetched, .sent] : goals
        if isAutomatic {
            switch link {
            case .up: break
            case .opening:
                guard !goals.isEmpty else { return .rest(until: nil) }
                wanted = goals
            case .down(let retryAt) where now >= retryAt:
                link = .opening
                return .connect
            case .down(let retryAt):
                guard !goals.isEmpty else { return .rest(until: retryAt) }
                wanted = goals
            }
        }
        let mayFetch = wanted.contains(.fetched) && fetchPause.isOver(at: now)
        let maySend = wanted.contains(.sent) && sendPause.isOver(at: now)
        if areZonesOld, mayFetch {
            listsAsked = listsWanted
            return .listZones
        }
        // Fetching and sending take turns, so that neither waits for the end of the other.
        if mayFetch, batch.isEmpty, !hasFetchedLast || !maySend, let fetch = nextFetch() {
            hasFetchedLast = true
            return fetch
        }
        if maySend, let send = nextSend(at: now) {
            hasFetchedLast = false
            return send
        }
        if mayFetch, let fetch = nextFetch() { return fetch }
        // Changes that `nextSend` settled without a request are reported first.
        if hasSomethingToTell { return next(at: now, for: goals, isAutomatic: isAutomatic) }
        return .rest(until: waitsUntil(now))
    }

    /// The time at which a waiting item may be tried again.
    private func waitsUntil(_ now: Int64) -> Int64? {
        var times: [Int64] = []
        if areZonesOld || !dirtyZones.isEmpty, !fetchPause.isOver(at: now) { times.append(fetchPause.until) }
        if hasSomethingToSend, !sendPause.isOver(at: now) { times.append(sendPause.until) }
        if hasZoneChangeToSend, !zoneChangePause.isOver(at: now) { times.append(zoneChangePause.until) }
        return times.min()
    }

    mutating func tell(_ event: SyncEngine.Event) { events.append(event) }

    mutating func markDirty(_ zone: String, first: Bool = false) {
        guard !dirtyZones.contains(zone) else { return }
        if first { dirtyZones.insert(zone, at: 0) } else { dirtyZones.append(zone) }
    }
}

/// Waiting between attempts: longer after each failure.
struct RetryPause: Sendable {
    static let firstMilliseconds: Int64 = 250

    private(set) var until = Int64.min
    private var failures = 0
    private let longestMilliseconds: Int64

    init(longestMilliseconds: Int64 = 60_000) { self.longestMilliseconds = longestMilliseconds }

    func isOver(at now: Int64) -> Bool { now >= until }

    mutating func succeed() {
        failures = 0
        until = .min
    }

    /// Waits, at least as long as the daemon asks for.
    /// - Parameters:
    ///   - now: The time of the failure.
    ///   - atLeast: The minimum that the daemon asks for.
    /// - Returns: The time of the next possible attempt.
    @discardableResult
    mutating func fail(at now: Int64, atLeast: Int64 = 0) -> Int64 {
        let grown = Self.firstMilliseconds << Int64(min(failures, 10))
        failures += 1
        until = now + max(min(grown, longestMilliseconds), atLeast)
        return until
    }
}
