import Sync
import Testing
import Wire

@Suite struct `The device that an anomaly names` {
    private let found = Anomaly(.outOfRight, author: Sample.device(9), zone: Sample.zone(0), detail: "bad")

    private func named(_ harness: inout CoreHarness, _ session: SessionID?) -> Anomaly? {
        harness.feed(.anomaliesFound(session, [found])).anomalies.first
    }

    @Test func `is the one that sent it, with its account`() {
        var harness = CoreHarness()
        harness.open(2)
        var expected = found
        (expected.peer, expected.account) = (Sample.device(2), Sample.account)
        #expect(named(&harness, 2) == expected)
    }

    @Test func `is also a removed one, which only its session shows`() {
        var harness = CoreHarness()
        harness.know([1, 2], removed: [3])
        harness.open(3, standing: .removed)
        #expect(named(&harness, 3)?.peer == Sample.device(3))
    }

    @Test func `is none once the session is over, or if there is no session`() {
        var harness = CoreHarness()
        harness.open(2)
        harness.feed(.closed(2))
        #expect(named(&harness, 2) == found)
        #expect(named(&harness, nil) == found)
    }

    @Test func `is none if the device may be invented`() {
        var harness = CoreHarness()
        harness.open(5, standing: .unknown)
        #expect(named(&harness, 5) == found)
    }

    @Test func `is named once for a message that has no place in a session of members`() {
        var harness = CoreHarness()
        harness.open(2)
        let request = PeerMessage.pairRequest(PairRequest(certificate: [1], account: Sample.account))
        let effects = harness.hear(2, request)
        #expect(effects.closed == [2: .violation])
        #expect(effects.anomalies.map(\.kind) == [.violation])
        #expect(effects.anomalies.map(\.peer) == [Sample.device(2)])
        #expect(harness.hear(2, request).anomalies.isEmpty)
    }
}
