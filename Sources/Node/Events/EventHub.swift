package import Sync
import Synchronization
package import Wire

/// Notifies subscribers of events.
///
/// A subscriber is notified *that* something changed and reads the durable feed from its own position, so it can
/// neither miss nor repeat a change. With the notice come the changes that the commit has in its memory, up to a bound
/// (``Sync/FeedChain``), for a subscriber that stands right before them: beyond the bound they are dropped, and it reads the feed.
/// Other events are buffered for each subscriber up to a bound; a subscriber that falls behind it is ended with a
/// reason and resumes with its token.
package final class EventHub: Sendable {
    private struct State {
        var subscribers: [UInt64: EventSubscription] = [:]
        var next: UInt64 = 0
        var isStopped = false
    }

    /// Subscribers at the same time; further ones are refused.
    package static let subscriberCountMax = 4_096

    private let state = Mutex(State())

    /// Starts without subscribers.
    package init() {}

    /// The number of subscribers now.
    package var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Adds a subscriber.
    /// - Returns: `nil` when there are too many, or the node stops.
    package func subscribe() -> EventSubscription? {
        state.withLock { state in
            guard !state.isStopped, state.subscribers.count < Self.subscriberCountMax else { return nil }
            let subscription = EventSubscription(id: state.next)
            state.subscribers[state.next] = subscription
            state.next += 1
            return subscription
        }
    }

    /// Removes a subscriber.
    package func unsubscribe(_ subscription: EventSubscription) {
        state.withLock { $0.subscribers[subscription.id] = nil }
        subscription.end(reason: "unsubscribed")
    }

    /// Notifies subscribers that the feed has grown.
    /// - Parameters:
    ///   - zones: The zones in which it has grown, so that a subscriber to one zone does not read in vain; empty for
    ///     any.
    ///   - tail: All by which it has grown; `nil` where that is not remembered.
    package func feedGrew(zones: Set<ZoneID> = [], tail: FeedTail? = nil) {
        for subscriber in current() { subscriber.feedGrew(zones: zones, tail: tail) }
    }

    /// Tells an event that is not a record change.
    package func publish(_ event: NodeEvent) {
        for subscriber in current() { subscriber.publish(event) }
    }

    /// Ends all subscriptions.
    package func stop() {
        let all = state.withLock { state in
            state.isStopped = true
            return Array(state.subscribers.values)
        }
        for subscriber in all { subscriber.end(reason: "stopping") }
    }

    private func current() -> [EventSubscription] {
        state.withLock { Array($0.subscribers.values) }
    }
}

/// One subscriber's place: the notices that it has not yet taken.
package final class EventSubscription: Sendable {
    /// A notice for which a subscriber is woken.
    package enum Notice: Sendable {
        /// The feed has grown beyond the last reading.
        case feedGrew
        /// The feed has grown by this tail alone.
        case remembered(FeedTail)
        /// An event.
        case event(NodeEvent)
        /// The subscription has ended.
        case ended(reason: String)
    }

    private struct State {
        var events: [NodeEvent] = []
        var hasGrown = false
        /// The growth that is remembered, with that which does not concern the subscriber.
        var chain = FeedChain()
        /// Whether the feed was read since the last event.
        var hasJustRead = false
        /// The only zone whose changes it wants; `nil` for all.
        var zone: ZoneID?
        var endReason: String?
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// Events that may wait for one subscriber.
    package static let eventCountMax = 1_024

    let id: UInt64
    private let state = Mutex(State())

    init(id: UInt64) {
        self.id = id
    }

    /// From now on it is woken for the changes of one zone only; `nil` for those of all.
    func listens(to zone: ZoneID?) {
        change { $0.zone = zone }
    }

    func feedGrew(zones: Set<ZoneID>, tail: FeedTail? = nil) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.chain.add(tail, for: state.zone)
            guard state.zone.map({ zones.isEmpty || zones.contains($0) }) ?? true else { return nil }
            state.hasGrown = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func publish(_ event: NodeEvent) {
        change { state in
            if state.events.count >= Self.eventCountMax {
                state.endReason = state.endReason ?? "slow_reader"
            } else {
                state.events.append(event)
            }
        }
    }

    func end(reason: String) {
        change { $0.endReason = $0.endReason ?? reason }
    }

    /// The next notice; waits until there is one or the task is cancelled.
    package func next() async -> Notice {
        while true {
            if let notice = take() { return notice }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if !state.events.isEmpty || state.hasGrown || state.endReason != nil { return true }
                        state.waiter = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                end(reason: "cancelled")
            }
        }
    }

    private func take() -> Notice? {
        state.withLock { state in
            // A subscriber reads the changes that preceded an event before the event: after an import they are there.
            // An event comes at the latest after the next reading, however fast the feed grows.
            if state.hasGrown, !state.hasJustRead || state.events.isEmpty {
                (state.hasGrown, state.hasJustRead) = (false, true)
                return state.chain.take().map { .remembered($0) } ?? .feedGrew
            }
            state.hasJustRead = false
            if !state.events.isEmpty { return .event(state.events.removeFirst()) }
            return state.endReason.map { .ended(reason: $0) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
