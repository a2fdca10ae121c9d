import KairanInterface
import Sync
import Testing
import Wire

@testable import Node

@Suite struct `A reader of an asset` {
    @Test func `waits until its time is over`() {
        var patience = AssetPatience(milliseconds: 2_500, since: 100)
        #expect(patience.pause(.coming, at: 100) == 1_000)
        #expect(patience.pause(nil, at: 1_100) == 1_000)
        #expect(patience.pause(.coming, at: 2_300) == 300)
        #expect(patience.pause(.coming, at: 2_600) == nil)
        var none = AssetPatience(milliseconds: 0, since: 100)
        #expect(none.pause(.coming, at: 100) == nil)
    }

    @Test(arguments: [PayloadProspect.missing, .unresolved])
    func `gives up after five seconds without hope, which a device ends that may have it`(prospect: PayloadProspect) {
        var patience = AssetPatience(milliseconds: 300_000, since: 0)
        #expect(patience.pause(prospect, at: 0) == 1_000)
        #expect(patience.pause(prospect, at: 4_500) == 500)
        #expect(patience.pause(.coming, at: 4_900) == 1_000)
        #expect(patience.pause(prospect, at: 6_000) == 1_000)
        #expect(patience.pause(.missing, at: 10_999) == 1)
        #expect(patience.pause(.unresolved, at: 11_000) == nil)
        var short = AssetPatience(milliseconds: 1_000, since: 0)
        #expect(short.pause(prospect, at: 900) == 100)
        #expect(short.pause(prospect, at: 1_000) == nil)
    }
}

@Suite struct `The news of assets` {
    private func asset(_ number: Int) -> PayloadID {
        PayloadID(Digest32(word0: UInt64(number), word1: 0, word2: 0, word3: 0))
    }

    @Test func `are reported at once, then twice a second, and the last one always`() {
        var news = AssetNews()
        #expect(news.nextDue == nil)
        news.note([asset(1)])
        #expect(news.nextDue == 0 && news.take(at: 1_000) == [asset(1)] && news.nextDue == nil)
        news.note([asset(1)])
        news.note([asset(1), asset(2)])
        #expect(news.take(at: 1_100) == [asset(2)])
        #expect(news.nextDue == 1_500 && news.take(at: 1_499).isEmpty)
        #expect(news.take(at: 1_500) == [asset(1)] && news.nextDue == nil)
        news.note([asset(1)])
        #expect(news.take(at: 5_000) == [asset(1)])
    }

    @Test func `of many assets at once are reported some at a time`() {
        var news = AssetNews()
        news.note(Set((0..<600).map(asset)))
        var told: [PayloadID] = []
        var now: UInt64 = 1_000
        while let next = news.nextDue {
            now = max(now, next)
            let taken = news.take(at: now)
            #expect(!taken.isEmpty && taken.count <= AssetNews.countMax)
            told += taken
        }
        #expect(told.count == 600 && Set(told).count == 600 && now == 2_000)
        news.note([asset(1)])
        news.clear()
        #expect(news.nextDue == nil && news.take(at: 9_000).isEmpty)
    }
}

@Suite struct `Events about assets` {
    private let mine = ZoneID(Digest32(word0: 1, word1: 0, word2: 0, word3: 0))
    private let other = ZoneID(.zero)

    private func event(in zone: ZoneID) -> NodeEvent {
        .asset(AssetEvent(zone: zone, asset: PayloadID(.zero), state: .present, percent: 100))
    }

    @Test func `come for the zones that a watcher sees`() {
        let all = EventFilter(view: FeedView(), isEverything: true)
        #expect(all.unknownZone(of: event(in: mine)) == mine && all.passes(event(in: mine)))
        let app = EventFilter(view: FeedView(scope: [BytewiseString("org.example.notes")]), isEverything: false)
        #expect(app.unknownZone(of: event(in: mine)) == mine && !app.passes(event(in: mine)))
        let one = EventFilter(view: FeedView(zone: mine), isEverything: true)
        #expect(one.unknownZone(of: event(in: mine)) == mine && one.unknownZone(of: event(in: other)) == nil)
        #expect(!one.passes(event(in: other)))
    }
}
