import Sync
import Testing
import Wire

@Suite struct `Reports of synchronisation activities` {
    private let zone = ZoneID(.zero)

    private func step(
        count: UInt64 = 0,
        _ state: Transfer.State,
        failure: Transfer.Failure? = nil,
        direction: Transfer.Direction = .incoming
    ) -> Transfer {
        Transfer(
            session: 1,
            direction: direction,
            zone: zone,
            peer: DeviceID(.zero),
            account: AccountID(.zero),
            count: count,
            state: state,
            failure: failure
        )
    }

    @Test func `an import begins, is counted, and ends when nothing is missing`() {
        var activities = SyncActivities()
        let begun = activities.moved(step(.moving), at: 100, wall: 5_000)
        #expect(begun.count == 1 && begun.first?.durationMilliseconds == nil && begun.first?.hasSucceeded == false)
        #expect(activities.moved(step(count: 3, .moving), at: 110, wall: 5_010).isEmpty)
        let ended = activities.moved(step(count: 2, .resting(isComplete: true)), at: 130, wall: 5_030)
        #expect(ended.count == 1 && ended.first?.number == begun.first?.number)
        #expect(ended.first?.count == 5 && ended.first?.durationMilliseconds == 30 && ended.first?.hasSucceeded == true)
        #expect(ended.first?.startedMilliseconds == 5_000 && activities.nextDue == nil)
    }

    @Test func `a catch-up of which the runs come one by one is one piece`() {
        var activities = SyncActivities()
        var news = activities.moved(step(.moving), at: 0, wall: 0)
        for time in 1...20 {
            news += activities.moved(step(count: 1, .resting(isComplete: false)), at: UInt64(time * 20), wall: 0)
            news += activities.due(at: UInt64(time * 20))
            news += activities.moved(step(.moving), at: UInt64(time * 20 + 10), wall: 0)
        }
        #expect(news.count == 1)
        news += activities.moved(step(count: 1, .resting(isComplete: false)), at: 500, wall: 0)
        #expect(activities.nextDue == 500 + SyncActivities.restMilliseconds)
        news += activities.due(at: 500 + SyncActivities.restMilliseconds)
        #expect(news.count == 2 && news.last?.count == 21 && news.last?.hasSucceeded == true)
    }

    @Test func `activities under way at the end of a session have failed, completed ones have not`() {
        var activities = SyncActivities()
        _ = activities.opened(1, peer: DeviceID(.zero), account: AccountID(.zero), at: 0, wall: 0)
        _ = activities.moved(step(.moving), at: 1, wall: 1)
        _ = activities.moved(step(.moving, direction: .outgoing), at: 2, wall: 2)
        _ = activities.moved(step(count: 1, .resting(isComplete: false), direction: .outgoing), at: 3, wall: 3)
        let ended = activities.closed(1, at: 9)
        #expect(ended.map(\.kind) == [.setup, .import, .export])
        #expect(ended.map(\.failure) == [.connectionLost, .connectionLost, nil])
        #expect(activities.failures[SyncFailure.Key(.import, zone: zone, peer: DeviceID(.zero))] != nil)
        #expect(activities.failures[SyncFailure.Key(.export, zone: zone, peer: DeviceID(.zero))] == nil)
        #expect(activities.closed(1, at: 10).isEmpty)
    }

    @Test func `a failure is reported at once, and remembered until a success`() {
        var activities = SyncActivities()
        _ = activities.moved(step(.moving), at: 0, wall: 1_000)
        let ended = activities.moved(step(.resting(isComplete: false), failure: .storageFull), at: 5, wall: 1_005)
        #expect(ended.map(\.failure) == [.storageFull])
        let key = SyncFailure.Key(.import, zone: zone, peer: DeviceID(.zero))
        #expect(activities.failures[key] == SyncFailure(failure: .storageFull, milliseconds: 1_005))
        _ = activities.moved(step(.moving), at: 20, wall: 1_020)
        _ = activities.moved(step(count: 1, .resting(isComplete: true)), at: 21, wall: 1_021)
        #expect(activities.failures[key] == nil)
    }

    @Test func `a standstill is not reported, and an abandoned activity ends after minutes`() {
        var activities = SyncActivities()
        #expect(activities.moved(step(.resting(isComplete: true)), at: 0, wall: 0).isEmpty)
        _ = activities.moved(step(.moving), at: 0, wall: 0)
        #expect(activities.due(at: SyncActivities.stallMilliseconds - 1).isEmpty)
        #expect(activities.due(at: SyncActivities.stallMilliseconds).map(\.failure) == [.stalled])
    }
}
