/// The state of a subscription, so that it goes on behind an interruption and delivers nothing twice.
package struct SubscriptionCore: Sendable {
    private struct Told: Hashable {
        var id: RecordID
        var version: String
    }

    /// The event behind which the daemon continues.
    package private(set) var token: String?
    /// The time to wait before the next attempt.
    package private(set) var pauseMilliseconds: Int64 = 0

    /// The zone; `nil` = all.
    package let zone: String?
    /// The container; `nil` = all.
    package let container: String?
    /// Whether the subscription has delivered the zone's end, so that nothing can follow.
    package private(set) var hasEnded = false
    /// The current zones; `nil` before the first snapshot.
    private var zones: [String: Zone]?
    /// The changes delivered behind the token: the daemon sends them again after an interruption.
    private var toldSince: Set<Told> = []
    private var hasExpired = false
    private var pause = RetryPause(longestMilliseconds: 15_000)

    /// Begins behind a token.
    /// - Parameters:
    ///   - zone: The zone; `nil` = all zones.
    ///   - container: The container whose zones are followed; `nil` = all.
    ///   - token: The token to begin behind; `nil` = now.
    package init(zone: String? = nil, container: String? = nil, token: String?) {
        self.zone = zone
        self.container = container
        self.token = token
    }

    /// Processes an event of the daemon and returns the elements to deliver.
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
        case .zone(let change):
            guard isMine(change.zone) else { return [] }
            zones?[change.zone.zone] = change.isDeleted ? nil : change.zone
            hasEnded = zone != nil && change.isDeleted
        default: break
        }
        return [Subscription.Element(kind: .event(event.kind), token: event.token)]
    }

    /// The stream has ended: it is opened again.
    package mutating func ended() {
        pauseMilliseconds = pause.fail(at: 0)
    }

    /// The stream could not be opened, or broke.
    /// - Returns: The elements to deliver.
    /// - Throws: The error, when waiting does not help.
    package mutating func failed(_ error: KairanError) throws(KairanError) -> [Subscription.Element] {
        if error.code == "token.expired", token != nil {
            token = nil
            toldSince = []
            // The subscription reports this once the stream is open again, so that no event is missed while
            // everything is read again.
            hasExpired = true
            return []
        }
        if let zone, let last = zones?[zone], let reason = error.departure {
            // The zone went while no stream was open; the daemon opens no more streams of it that could report this.
            hasEnded = true
            return [Subscription.Element(kind: .event(.zone(ZoneChange(last, departure: reason))), token: nil)]
        }
        guard error.isRetryable else { throw error }
        pauseMilliseconds = pause.fail(at: 0, atLeast: error.retryAfter)
        return []
    }

    private func isMine(_ zone: Zone) -> Bool { container?.isSameName(as: zone.container) != false }

    /// Delivers the first snapshot, and of a later one only that it came.
    ///
    /// Changes to zones since then follow by themselves, because they are behind the token.
    private mutating func snapshot(_ present: [Zone], token: String?) -> [Subscription.Element] {
        let isFirst = zones == nil
        zones = Dictionary(present.map { ($0.zone, $0) }) { first, _ in first }
        if hasExpired {
            hasExpired = false
            return [Subscription.Element(kind: .expired, token: token)]
        }
        return [Subscription.Element(kind: isFirst ? .started(zones: present) : .resumed, token: token)]
    }
}
