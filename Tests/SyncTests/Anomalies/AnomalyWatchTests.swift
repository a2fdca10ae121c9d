import Sync
import Testing
import Wire

@Suite struct `Notifications of anomalies` {
    private static func device(_ number: UInt64) -> DeviceID {
        DeviceID(Digest32(word0: number, word1: 1, word2: 0, word3: 0))
    }

    private static func zone(_ number: UInt64) -> ZoneID {
        ZoneID(Digest32(word0: number, word1: 2, word2: 0, word3: 0))
    }

    private static func anomaly(
        _ kind: Anomaly.Kind = .outOfRight,
        by author: UInt64? = nil,
        from peer: UInt64? = 1,
        in zone: UInt64? = 1,
        count: UInt64 = 1
    ) -> Anomaly {
        Anomaly(
            kind,
            author: author.map(device),
            peer: peer.map(device),
            account: peer.map { _ in AccountID(.zero) },
            zone: zone.map(Self.zone),
            count: count,
            detail: "bad"
        )
    }

    @Test func `the first is reported at once, later ones together after a minute`() {
        var watch = AnomalyWatch()
        #expect(watch.found(Self.anomaly(count: 2), at: 1_000) == Self.anomaly(count: 2))
        for time in 1...500 { #expect(watch.found(Self.anomaly(), at: 1_000 + UInt64(time)) == nil) }
        #expect(watch.due(at: 60_999).isEmpty)
        #expect(watch.nextDue == 61_000)
        #expect(watch.due(at: 61_000) == [Self.anomaly(count: 500)])
        #expect(watch.found(Self.anomaly(), at: 61_001) == nil, "the next minute has begun")
        #expect(watch.due(at: 121_000) == [Self.anomaly(count: 1)])
    }

    @Test func `after a quiet minute a place is free, and the next one is reported at once`() {
        var watch = AnomalyWatch()
        _ = watch.found(Self.anomaly(), at: 0)
        #expect(watch.due(at: 60_000).isEmpty)
        #expect(watch.placeCount == 0 && watch.nextDue == nil)
        #expect(watch.found(Self.anomaly(), at: 60_001) != nil)
    }

    @Test func `kinds, devices and zones are counted apart`() {
        var watch = AnomalyWatch()
        for anomaly in [
            Self.anomaly(), Self.anomaly(.violation), Self.anomaly(from: 2), Self.anomaly(in: 2), Self.anomaly(in: nil),
            Self.anomaly(from: nil),
        ] {
            #expect(watch.found(anomaly, at: 0)?.kind == anomaly.kind)
        }
        #expect(watch.placeCount == 6)
    }

    @Test func `an author is named while all that is counted together is that one's`() {
        var watch = AnomalyWatch()
        #expect(watch.found(Self.anomaly(by: 7), at: 0)?.author == Self.device(7))
        _ = watch.found(Self.anomaly(by: 8), at: 1)
        _ = watch.found(Self.anomaly(by: 8), at: 2)
        #expect(watch.due(at: 60_000) == [Self.anomaly(by: 8, count: 2)])
        _ = watch.found(Self.anomaly(by: 8), at: 60_001)
        _ = watch.found(Self.anomaly(by: 9), at: 60_002)
        #expect(watch.due(at: 120_000) == [Self.anomaly(by: nil, count: 2)])
    }

    @Test func `anomalies in more zones than a device has places for are reported without the zone`() {
        var watch = AnomalyWatch()
        let placeCount = UInt64(AnomalyWatch.devicePlaceCountMax)
        for zone in 1...placeCount { #expect(watch.found(Self.anomaly(in: zone), at: 0)?.zone != nil) }
        #expect(watch.found(Self.anomaly(in: placeCount + 1), at: 0) == Self.anomaly(in: nil))
        for zone in 1...1_000 { #expect(watch.found(Self.anomaly(in: placeCount + 1 + UInt64(zone)), at: 1) == nil) }
        #expect(watch.found(Self.anomaly(from: 2, in: 1), at: 1)?.zone != nil, "another device has places of its own")
        #expect(watch.due(at: 60_000) == [Self.anomaly(in: nil, count: 1_000)])
    }

    @Test func `any number of devices and zones uses a bounded number of places, and no count is lost`() {
        var watch = AnomalyWatch()
        var told: [Anomaly] = []
        var last = 0
        for minute in 0..<3 as Range<UInt64> {
            for peer in 0..<2_000 as Range<UInt64> {
                for kind in Anomaly.Kind.allCases {
                    let anomaly = Self.anomaly(kind, from: peer, in: peer % 7)
                    if let now = watch.found(anomaly, at: minute * 60_000 + 1) { told.append(now) }
                }
            }
            #expect(watch.placeCount <= AnomalyWatch.placeCountMax + Anomaly.Kind.allCases.count)
            told += watch.due(at: (minute + 1) * 60_000 + 1)
            #expect(told.count - last <= 2 * (AnomalyWatch.placeCountMax + Anomaly.Kind.allCases.count))
            last = told.count
        }
        told += watch.due(at: 600_000)
        #expect(told.reduce(0) { $0 + $1.count } == UInt64(3 * 2_000 * Anomaly.Kind.allCases.count))
        #expect(told.contains { $0.peer == nil && $0.account == nil && $0.count > 1_000 })
    }

    @Test func `a count that is as large as can be stays so`() {
        var watch = AnomalyWatch()
        _ = watch.found(Self.anomaly(), at: 0)
        _ = watch.found(Self.anomaly(count: .max), at: 1)
        _ = watch.found(Self.anomaly(count: 5), at: 2)
        #expect(watch.due(at: 60_000) == [Self.anomaly(count: .max)])
    }
}
