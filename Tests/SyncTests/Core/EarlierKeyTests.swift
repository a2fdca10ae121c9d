import Sync
import Testing
import Wire

/// A device that was off while the account's devices took another key calls by the former one.
@Suite struct `A session by an earlier key` {
    private static let secret = FleetSecret(entry: Sample.hash(77), key: [UInt8](repeating: 1, count: 32))

    private func handed(_ effects: [SyncEffect], _ device: Int) -> Bool {
        effects.messages(to: device).contains { $0 == .fleetSecret(Self.secret) }
    }

    private func isClosed(_ effects: [SyncEffect], _ device: Int) -> Bool {
        effects.contains { if case .close(SessionID(device), _, _) = $0 { true } else { false } }
    }

    @Test func `hands over the account's log and the present key, and nothing of zones`() {
        var harness = CoreHarness()
        harness.feed(.fleetKeysChanged(Self.secret, held: [.zero, Self.secret.entry]))
        let effects = harness.open(2, isByEarlierKey: true)
        #expect(handed(effects, 2))
        #expect(effects.places == [2: .confirming])
        #expect(!harness.core.isActive(2))
        let kinds = effects.messages(to: 2).map(\.tag)
        #expect(!kinds.contains(PeerMessage.rangeDigests(RangeDigests(ranges: [])).tag))
        #expect(harness.hear(2, .zoneState(Sample.zoneState(0, [:]))).isEmpty)
        // Nor when the log changes.
        harness.know([1, 2, 3])
        #expect(!harness.core.isActive(2))
        #expect(isClosed(harness.wait(11_000, hearing: [2]), 2))
        // On a session by the present key no key is delivered.
        #expect(!handed(harness.open(3), 3) && harness.core.isActive(3))
    }

    @Test func `hands the key to active devices of the account alone`() {
        var harness = CoreHarness()
        harness.know([1, 2, 3, 4], removed: [8])
        harness.feed(.fleetKeysChanged(Self.secret, held: [.zero, Self.secret.entry]))
        #expect(!handed(harness.open(8, standing: .removed, heads: [Sample.hash(7)], isByEarlierKey: true), 8))
        #expect(!handed(harness.open(9, standing: .unknown, heads: [Sample.hash(7)], isByEarlierKey: true), 9))
        let effects = harness.know([1, 2, 3, 4, 9], removed: [8])
        #expect(handed(effects, 9) && !handed(effects, 8), "once it is known")
        #expect(!harness.core.isActive(9))
    }

    @Test func `ends when the other side has delivered a key that is held by then`() {
        var harness = CoreHarness()
        harness.open(2)
        let effects = harness.hear(2, .fleetSecret(Self.secret))
        #expect(
            effects.contains { if case .takeFleetSecret(Self.secret) = $0 { true } else { false } },
            "it is kept if the log knows it"
        )
        #expect(!isClosed(effects, 2))
        #expect(isClosed(harness.feed(.fleetKeysChanged(Self.secret, held: [Self.secret.entry])), 2), "logs are equal")
        // Where the heads differ both sides have the time to send entries.
        harness.open(3, heads: [Sample.hash(5)])
        #expect(!isClosed(harness.hear(3, .fleetSecret(Self.secret)), 3))
        #expect(isClosed(harness.wait(1_000), 3))
    }

    @Test func `accepts no key from another account's device, and none from a removed one`() {
        var harness = CoreHarness()
        harness.know([1, 2, 3, 4], removed: [8])
        harness.open(7, standing: .unknown, account: Sample.foreign)
        harness.open(8, standing: .removed, heads: [Sample.hash(7)])
        for device in [7, 8] {
            let effects = harness.hear(device, .fleetSecret(Self.secret))
            #expect(!effects.contains { if case .takeFleetSecret = $0 { true } else { false } })
        }
    }
}
