import Testing
import Wire

@testable import Node

@Suite(.timeLimit(.minutes(5))) struct `The event hub` {
    private let hub = EventHub()

    private func event(_ number: UInt64) -> NodeEvent {
        .sync(
            SyncEvent(kind: .import, zone: nil, peer: DeviceID(.zero), count: number, succeeded: true, error: nil)
        )
    }

    @Test func `hands events out in order, and the growth of the feed once however often it grew`() async throws {
        let subscription = try #require(hub.subscribe())
        for number in 0..<3 { hub.publish(event(UInt64(number))) }
        for _ in 0..<1_000 { hub.feedGrew() }
        var counts: [UInt64] = []
        for _ in 0..<3 {
            if case .event(.sync(let sync)) = await subscription.next() { counts.append(sync.count) }
        }
        #expect(counts == [0, 1, 2])
        guard case .feedGrew = await subscription.next() else {
            Issue.record("the growth was not told")
            return
        }
        hub.stop()
        guard case .ended("stopping") = await subscription.next() else {
            Issue.record("the growth was told twice")
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
        // And nobody else.
        guard case .event = await other.next() else {
            Issue.record("the other reader was harmed")
            return
        }
    }

    @Test func `takes a bounded number of readers, and new ones when others leave`() throws {
        let all = (0..<EventHub.subscriberCountMax).compactMap { _ in hub.subscribe() }
        #expect(all.count == EventHub.subscriberCountMax && hub.subscribe() == nil)
        hub.unsubscribe(try #require(all.first))
        #expect(hub.subscribe() != nil)
        hub.stop()
        #expect(hub.subscribe() == nil)
    }

    @Test func `wakes a reader that waits, and lets it go when it is cancelled`() async throws {
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

@Suite struct `The health board` {
    @Test func `keeps one warning a code, the worst first, until it is cleared`() {
        let board = HealthBoard()
        func warn(_ code: String, _ severity: HealthWarning.Severity, _ message: String = "") {
            board.set(HealthWarning(code: code, severity: severity, message: message, fix: ""))
        }
        warn("b", .info)
        warn("c", .warning)
        warn("a", .critical)
        warn("b", .info, "newer")
        #expect(board.all.map(\.code) == ["a", "c", "b"] && board.all.last?.message == "newer")
        board.clear("a")
        board.clear("unknown")
        #expect(board.all.map(\.code) == ["c", "b"] && board.contains("c") && !board.contains("a"))
    }
}
