import KairanInterface
import Sync
import Testing
import Wire

@testable import Node

@Suite struct `Recipients of events about anomalies` {
    private let mine = ZoneID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0))
    private let other = ZoneID(.zero)

    private func anomaly(in zone: ZoneID?) -> NodeEvent {
        .anomaly(AnomalyEvent(Anomaly(.violation, zone: zone, detail: "bad")))
    }

    @Test func `an administrator receives all of them, without a look at the zone`() {
        let filter = EventFilter(view: FeedView(), isEverything: true)
        for zone in [mine, other, nil] {
            #expect(filter.unknownZone(of: anomaly(in: zone)) == nil)
            #expect(filter.passes(anomaly(in: zone)))
        }
    }

    @Test func `an application receives none, not even in its own zones`() {
        let filter = EventFilter(view: FeedView(scope: [BytewiseString("org.example.notes")]), isEverything: false)
        for zone in [mine, other, nil] {
            #expect(filter.unknownZone(of: anomaly(in: zone)) == nil)
            #expect(!filter.passes(anomaly(in: zone)))
        }
    }

    @Test func `an administrator that asked for one zone receives those of that zone and those of no zone`() {
        let filter = EventFilter(view: FeedView(zone: mine), isEverything: true)
        #expect(filter.unknownZone(of: anomaly(in: mine)) == mine)
        #expect(filter.unknownZone(of: anomaly(in: other)) == nil)
        #expect(!filter.passes(anomaly(in: other)))
        #expect(filter.passes(anomaly(in: nil)))
    }
}

@Suite struct `Events about offers of zones` {
    private let mine = ZoneID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0))
    private let other = ZoneID(.zero)

    @Test func `an administrator receives all, or those of one requested zone`() {
        let all = EventFilter(view: FeedView(), isEverything: true)
        #expect(all.passes(.transfer(mine)) && all.passes(.transfer(other)))
        let one = EventFilter(view: FeedView(zone: mine), isEverything: true)
        #expect(one.unknownZone(of: .transfer(mine)) == mine && one.unknownZone(of: .transfer(other)) == nil)
        #expect(!one.passes(.transfer(other)))
    }

    @Test func `an application receives none, not even in its own zones`() {
        let filter = EventFilter(view: FeedView(scope: [BytewiseString("org.example.notes")]), isEverything: false)
        #expect(filter.unknownZone(of: .transfer(mine)) == nil && !filter.passes(.transfer(mine)))
    }
}
