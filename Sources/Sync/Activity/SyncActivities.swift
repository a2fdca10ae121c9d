package import Wire

/// Groups the steps of the synchronisation core into activities that have a beginning and an end.
///
/// An activity ends at once when the core knows that it is complete. Where more may come, an activity ends after a
/// short time without progress, so that a long catch-up, whose runs arrive one by one, is one activity and not a
/// thousand.
package struct SyncActivities: Sendable {
    private struct Key: Hashable {
        var session: SessionID
        var kind: SyncActivity.Kind
        var zone: ZoneID?
    }

    private struct Entry {
        var activity: SyncActivity
        var begun: UInt64
        /// The time at which it ends by itself.
        var due: UInt64
        /// Whether that is a good end.
        var isResting = false
    }

    /// How long an activity that may be complete waits for more, in milliseconds.
    package static let restMilliseconds: UInt64 = 500
    /// After this time without progress it is treated as given up.
    package static let stallMilliseconds: UInt64 = 120_000
    /// Further ones are not reported: sessions times zones is not bounded by anything else.
    package static let countMax = 4_096

    /// The last failure of each kind, zone and device that has not succeeded since.
    package private(set) var failures: [SyncFailure.Key: SyncFailure] = [:]
    private var entries: [Key: Entry] = [:]
    private var last: UInt64 = 0

    /// Creates an empty set of activities.
    package init() {}

    /// The time at which ``due(at:)`` has something to return.
    package var nextDue: UInt64? { entries.values.map(\.due).min() }

    /// Notes that a session is established.
    /// - Returns: The activity that has begun.
    package mutating func opened(
        _ session: SessionID,
        peer: DeviceID,
        account: AccountID,
        at now: UInt64,
        wall: UInt64
    ) -> [SyncActivity] {
        let key = Key(session: session, kind: .setup, zone: nil)
        return begin(key, peer: peer, account: account, at: now, wall: wall).map { [$0] } ?? []
    }

    /// Notes that the two sides of a session hold the same operations, as far as they may.
    /// - Returns: The activity that has ended.
    package mutating func inStep(_ session: SessionID, at now: UInt64) -> [SyncActivity] {
        end(Key(session: session, kind: .setup, zone: nil), nil, at: now).map { [$0] } ?? []
    }

    /// An exchange has gone on.
    /// - Returns: The activities that have begun or ended.
    package mutating func moved(_ step: Transfer, at now: UInt64, wall: UInt64) -> [SyncActivity] {
        let kind: SyncActivity.Kind = step.direction == .incoming ? .import : .export
        let key = Key(session: step.session, kind: kind, zone: step.zone)
        var news: [SyncActivity] = []
        if entries[key] == nil {
            // That nothing moves is no news where nothing did.
            guard step.state == .moving || step.count > 0 || step.failure != nil else { return [] }
            news += begin(key, peer: step.peer, account: step.account, at: now, wall: wall).map { [$0] } ?? []
        }
        entries[key]?.activity.count += step.count
        entries[key]?.isResting = step.state != .moving
        entries[key]?.due = now + (step.state == .moving ? Self.stallMilliseconds : Self.restMilliseconds)
        if step.failure != nil || step.state == .resting(isComplete: true) {
            news += end(key, step.failure, at: now).map { [$0] } ?? []
        }
        return news
    }

    /// A session ended.
    /// - Returns: The activities that have ended.
    package mutating func closed(_ session: SessionID, at now: UInt64) -> [SyncActivity] {
        entries.filter { $0.key.session == session }.sorted { $0.value.activity.number < $1.value.activity.number }
            .compactMap { end($0.key, $0.value.isResting ? nil : .connectionLost, at: now) }
    }

    /// Time passed.
    /// - Returns: The activities that have ended.
    package mutating func due(at now: UInt64) -> [SyncActivity] {
        entries.filter { $0.value.due <= now }.sorted { $0.value.activity.number < $1.value.activity.number }
            .compactMap { end($0.key, $0.value.isResting ? nil : .stalled, at: now) }
    }

    private mutating func begin(
        _ key: Key,
        peer: DeviceID,
        account: AccountID,
        at now: UInt64,
        wall: UInt64
    ) -> SyncActivity? {
        guard entries[key] == nil, entries.count < Self.countMax else { return nil }
        last += 1
        let activity = SyncActivity(
            number: last,
            kind: key.kind,
            zone: key.zone,
            peer: peer,
            account: account,
            startedMilliseconds: wall
        )
        entries[key] = Entry(activity: activity, begun: now, due: now + Self.stallMilliseconds)
        return activity
    }

    private mutating func end(_ key: Key, _ failure: Transfer.Failure?, at now: UInt64) -> SyncActivity? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        assert(entry.activity.number <= last, "an activity that ends has a number that was given")
        assert(entry.activity.durationMilliseconds == nil, "an activity ends once")
        var activity = entry.activity
        activity.durationMilliseconds = now > entry.begun ? now - entry.begun : 0
        activity.failure = failure
        guard let zone = key.zone else { return activity }
        let place = SyncFailure.Key(key.kind, zone: zone, peer: activity.peer)
        if let failure, failures.count < Self.countMax || failures[place] != nil {
            let ended = activity.startedMilliseconds + (activity.durationMilliseconds ?? 0)
            failures[place] = SyncFailure(failure: failure, milliseconds: ended)
        } else if failure == nil {
            failures[place] = nil
        }
        return activity
    }
}
