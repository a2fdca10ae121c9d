/// What a subscription remembers so that it can go on behind an interruption, and tells nothing twice.
package struct SubscriptionCore: Sendable {
    private struct Told: Hashable {
        var id: RecordID
        var version: String
    }

    /// Behind which event the daemon is asked to go on.
    package private(set) var token: String?
    /// How long to wait before the next attempt.
    package private(set) var pauseMilliseconds: Int64 = 0

    private let container: String?
    /// The zones as they were told; `nil` before the first snapshot.
    private var zones: [String: Zone]?
    /// What was told behind the token: it comes again after an interruption.
    private var toldSince: Set<Told> = []
    private var hasExpired = false
    private var pause = RetryPause(longestMilliseconds: 15_000)

    /// Begins behind a token.
    /// - Parameters:
    ///   - container: Leaves out what happens in the zones of others; `nil` = nothing.
    ///   - token: Where to begin; `nil` = now.
    package init(container: String?, token: String?) {
        self.container = container
        self.token = token
    }

    /// What to tell after an event of the daemon.
    package mutating func received(_ event: DaemonEvent) -> [Subscription.Element] {
        pause.succeed()
        pauseMilliseconds = 0
        defer {
            if let token = event.token, token != self.token {
                self.token = token
                toldSince = []
            }
        }
        switch event.kind {
        case .snapshot(let present): return snapshot(present.filter(isMine), token: event.token)
        case .end:
            ended()
            return []
        case .change(let change):
            let id = RecordID(zone: change.record.zone, name: change.record.name)
            guard container == nil || zones?[id.zone] != nil else { return [] }
            guard event.token == nil || event.token != token else { return [] }
            guard toldSince.insert(Told(id: id, version: change.record.version)).inserted else { return [] }
        case .zone(let zone, let isDeleted):
            guard isMine(zone) else { return [] }
            zones?[zone.zone] = isDeleted ? nil : zone
        default: break
        }
        return [Subscription.Element(kind: .event(event.kind), token: event.token)]
    }

    /// The stream has ended: it is opened again.
    package mutating func ended() {
        pauseMilliseconds = pause.fail(at: 0)
    }

    /// The stream could not be opened, or broke.
    /// - Throws: The error, when waiting does not help.
    package mutating func failed(_ error: KairanError) throws(KairanError) {
        if error.code == "token.expired", token != nil {
            token = nil
            toldSince = []
            // It is told once the stream stands again: what happens while everything is read anew is then not missed.
            hasExpired = true
            return
        }
        guard error.isRetryable else { throw error }
        pauseMilliseconds = pause.fail(at: 0, atLeast: error.retryAfter)
    }

    private func isMine(_ zone: Zone) -> Bool { container == nil || zone.container == container }

    /// The first snapshot is told; a later one only for what changed while nobody listened.
    private mutating func snapshot(_ present: [Zone], token: String?) -> [Subscription.Element] {
        let now = Dictionary(present.map { ($0.zone, $0) }) { first, _ in first }
        defer { zones = now }
        if hasExpired {
            hasExpired = false
            return [Subscription.Element(kind: .expired, token: token)]
        }
        guard let before = zones else {
            return [Subscription.Element(kind: .started(zones: present), token: token)]
        }
        let gone = before.values.filter { now[$0.zone] == nil }.sorted { $0.zone < $1.zone }
        let changed = present.filter { zone in
            before[zone.zone].map { SyncEngine.State.KnownZone($0) != SyncEngine.State.KnownZone(zone) } ?? true
        }
        return gone.map { Subscription.Element(kind: .event(.zone($0, isDeleted: true)), token: nil) }
            + changed.map { Subscription.Element(kind: .event(.zone($0, isDeleted: false)), token: nil) }
    }
}
