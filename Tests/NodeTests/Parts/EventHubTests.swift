import KairanInterface
import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `The event hub` {
    private let hub = EventHub()

    private func event(_ number: UInt64) -> NodeEvent {
        .sync(
            SyncEvent(
                number: 1,
                kind: .import,
                zone: nil,
                peer: DeviceID(.zero),
                account: AccountID(.zero),
                count: number,
                startedMilliseconds: 0,
                durationMilliseconds: 1,
                error: nil
            )
        )
    }

    @Test func `delivers events in order, behind earlier growth of the feed, once`() async throws {
        let subscription = try #require(hub.subscribe())
        for _ in 0..<1_000 { hub.feedGrew() }
        for number in 0..<3 { hub.publish(event(UInt64(number))) }
        var told: [String] = []
        for _ in 0..<4 {
            switch await subscription.next() {
            case .event(.sync(let sync)): told.append("\(sync.count)")
            case .feedGrew: told.append("grew")
            case .event, .remembered, .ended: told.append("?")
            }
            // However fast the feed grows, events come.
            if told.count == 1 { hub.feedGrew() }
        }
        #expect(told == ["grew", "0", "grew", "1"])
        guard case .event = await subscription.next() else {
            Issue.record("an event was lost")
            return
        }
        hub.stop()
        guard case .ended("stopping") = await subscription.next() else {
            Issue.record("the growth was told twice")
            return
        }
    }

    @Test func `wakes a listener of one zone for that zone only`() async throws {
        let (mine, other) = (ZoneID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0)), ZoneID(.zero))
        let subscription = try #require(hub.subscribe())
        subscription.listens(to: mine)
        hub.feedGrew(zones: [other])
        hub.publish(event(7))
        guard case .event = await subscription.next() else {
            Issue.record("woken for another zone")
            return
        }
        hub.feedGrew(zones: [other, mine])
        guard case .feedGrew = await subscription.next() else {
            Issue.record("not woken for its own")
            return
        }
    }

    @Test func `ends a reader that is too slow, after all that it had kept for it`() async throws {
        let slow = try #require(hub.subscribe())
        let other = try #require(hub.subscribe())
        for number in 0...EventSubscription.eventCountMax { hub.publish(event(UInt64(number))) }
        var count = 0
        while case .event = await slow.next() { count += 1 }
        #expect(count == EventSubscription.eventCountMax)
        guard case .ended("slow_reader") = await slow.next() else {
            Issue.record("no reason was told")
            return
        }
        // No other subscriber.
        guard case .event = await other.next() else {
            Issue.record("the other reader was harmed")
            return
        }
    }

    @Test func `accepts a bounded number of readers, and new ones when others leave`() throws {
        let all = (0..<EventHub.subscriberCountMax).compactMap { _ in hub.subscribe() }
        #expect(all.count == EventHub.subscriberCountMax && hub.subscribe() == nil)
        hub.unsubscribe(try #require(all.first))
        #expect(hub.subscribe() != nil)
        hub.stop()
        #expect(hub.subscribe() == nil)
    }

    @Test func `wakes a waiting reader, and releases it when it is cancelled`() async throws {
        let subscription = try #require(hub.subscribe())
        await withTaskGroup(of: String.self) { group in
            group.addTask {
                guard case .ended(let reason) = await subscription.next() else { return "an event" }
                return reason
            }
            group.cancelAll()
            #expect(await group.next() == "cancelled")
        }
    }
}
