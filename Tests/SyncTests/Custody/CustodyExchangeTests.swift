import TestSupport
import Testing
import Wire

@testable import Sync

/// The core's requests to relays about payloads, and its answers as a relay.
@Suite("A relay that is asked to keep payloads") struct CustodyExchangeTests {
    private static func payload(_ number: UInt64) -> PayloadID { PayloadID(Sample.hash(number).digest) }

    private func keep(_ number: UInt64 = 1, relay: Int = 2) -> CustodyJob {
        CustodyJob(
            .keep,
            relay: Sample.device(relay),
            zone: Sample.zone(0),
            payload: Self.payload(number),
            byteCount: 100
        )
    }

    private func release(_ number: UInt64 = 1, relay: Int = 2) -> CustodyJob {
        CustodyJob(.release, relay: Sample.device(relay), zone: Sample.zone(0), payload: Self.payload(number))
    }

    private func request(_ number: UInt64 = 1) -> CustodyRequest {
        CustodyRequest(zone: Sample.zone(0), payload: Self.payload(number), byteCount: 100)
    }

    private func answer(_ outcome: CustodyAnswer.Outcome, _ number: UInt64 = 1) -> PeerMessage {
        .custodyAnswer(CustodyAnswer(zone: Sample.zone(0), payload: Self.payload(number), outcome: outcome))
    }

    /// A core that holds zone 0, with sessions of some devices.
    private func harness(_ devices: [Int], limits: SyncLimits = SyncLimits()) -> CoreHarness {
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        for device in devices { _ = harness.openInStep(device, theirs: [1: 3]) }
        return harness
    }

    // MARK: As the sender

    @Test func `is asked once, also if a job is reported twice before the answer`() {
        var limits = SyncLimits()
        limits.custodyAskedCountMax = 1
        var harness = harness([2], limits: limits)
        harness.feed(.custodyDue([keep()]))
        #expect(harness.wait(10_100, hearing: [2]).custody.count == 1)
        #expect(harness.feed(.custodyDue([keep(), keep()])).custody.isEmpty)
        #expect(harness.core.custodyLoad == (jobs: 1, asked: 1, pending: 0))
    }

    @Test func `is asked when no recipient has fetched it for some time, once a session`() {
        var harness = harness([2, 3])
        #expect(harness.feed(.custodyDue([keep()])).custody.isEmpty)
        #expect(harness.wait(9_900, hearing: [2, 3]).custody.isEmpty)
        #expect(harness.wait(200, hearing: [2, 3]).messages(to: 2).contains(.custodyRequest(request())))
        // Requested again, it goes on where it is.
        #expect(harness.feed(.custodyDue([keep()])).custody.isEmpty)
        #expect(harness.hear(2, answer(.stored(until: 77))).notes == [.stored(until: 77)])
        #expect(harness.feed(.custodyDue([keep()])).custody.isEmpty)
        // A relay may have lost it: with each session it is asked anew, and at once.
        _ = harness.feed(.closed(2))
        #expect(harness.open(2).custody == [request()])
    }

    @Test func `is not asked for a payload that arrived in the meantime`() {
        var harness = harness([2])
        _ = harness.feed(.custodyDue([keep()]))
        _ = harness.feed(.custodyDue([]))
        #expect(harness.wait(60_000, hearing: [2]).custody.isEmpty && harness.core.nextDeadline != nil)
    }

    @Test func `is asked when it comes, and asked again when it went without an answer`() {
        var harness = harness([3])
        _ = harness.feed(.custodyDue([keep()]))
        #expect(harness.wait(20_000, hearing: [3]).custody.isEmpty)
        #expect(harness.open(2).custody == [request()])
        _ = harness.feed(.closed(2))
        #expect(harness.open(2).custody == [request()])
    }

    @Test func `that is full is asked again later`() {
        for outcome in [CustodyAnswer.Outcome.full, .refused] {
            var harness = harness([2])
            _ = harness.feed(.custodyDue([keep()]))
            _ = harness.wait(10_100, hearing: [2])
            #expect(harness.hear(2, answer(outcome)).notes == [outcome])
            #expect(harness.wait(599_000, hearing: [2]).custody.isEmpty)
            #expect(harness.wait(2_000, hearing: [2]).custody == [request()])
        }
    }

    @Test func `learns at once that it need not keep a payload, once`() {
        var harness = harness([2])
        #expect(harness.feed(.custodyDue([release()])).released == [Self.payload(1)])
        // An answer about the time before does not answer the release.
        #expect(harness.hear(2, answer(.stored(until: 5))).notes.isEmpty)
        #expect(harness.hear(2, answer(.released)).notes == [.released])
        #expect(harness.wait(700_000, hearing: [2]).released.isEmpty)
    }

    @Test func `is not believed about a payload that it was not asked to keep`() {
        var harness = harness([2, 3])
        _ = harness.feed(.custodyDue([keep()]))
        #expect(harness.hear(2, answer(.stored(until: 5))).notes.isEmpty)
        _ = harness.wait(10_100, hearing: [2, 3])
        #expect(harness.hear(3, answer(.stored(until: 5))).notes.isEmpty)
        #expect(harness.hear(2, answer(.stored(until: 5), 9)).notes.isEmpty)
        #expect(harness.hear(2, answer(.stored(until: 5))).notes.count == 1)
        #expect(harness.hear(2, answer(.stored(until: 5))).notes.isEmpty)
    }

    @Test func `gets a bounded number of requests at a time, and the store is read for the rest`() {
        var limits = SyncLimits()
        (limits.custodyAskedCountMax, limits.custodyJobCountMax) = (2, 4)
        var harness = harness([2], limits: limits)
        _ = harness.feed(.custodyDue((1...9).map { keep($0) }))
        #expect(harness.core.custodyLoad.jobs == 4)
        #expect(harness.wait(10_100, hearing: [2]).custody.count == 2)
        #expect(harness.hear(2, answer(.stored(until: 5), 1)).custody == [request(3)])
        #expect(harness.core.custodyLoad.asked == 2)
    }

    // MARK: As a relay

    @Test func `confirms a payload when all of it has arrived`() {
        var harness = harness([2, 3])
        #expect(harness.hear(2, .custodyRequest(request())).taken == [2])
        #expect(harness.feed(.custodyDecided(2, request(), nil)).answers(to: 2).isEmpty)
        // Another device that has the payload as well.
        #expect(harness.hear(3, .custodyRequest(request())).taken == [3])
        _ = harness.feed(.custodyDecided(3, request(), nil))
        harness.feed(
            .payloadWanted(PayloadWant(zone: Sample.zone(0), payload: Self.payload(1), sender: nil, missing: [0]))
        )
        let kept = SyncInput.payloadKept(2, Self.payload(1), position: 0, .complete)
        #expect(harness.feed(kept).taken == [2, 3])
        let effects = harness.feed(.custodyDecided(2, request(), .stored(until: 9)))
        #expect(effects.answers(to: 2) == [.stored(until: 9)])
        #expect(harness.feed(.custodyDecided(3, request(), .full)).answers(to: 3) == [.full])
    }

    @Test func `asks each device for a payload under the zone under which it is to keep that for the device`() {
        var harness = harness([2, 3])
        harness.feed(.zoneChanged(Sample.snapshot(1, [1: 3]), before: [:]))
        _ = harness.hear(2, .custodyRequest(request()))
        _ = harness.feed(.custodyDecided(2, request(), nil))
        let want = PayloadWant(zone: Sample.zone(0), payload: Self.payload(1), sender: Sample.device(2), missing: nil)
        let first = PayloadRequest(zone: Sample.zone(0), outlineOf: Self.payload(1))
        #expect(harness.feed(.payloadWanted(want)).messages(to: 2).contains(.payloadRequest(first)))
        // The other one has it as well, under another zone alone.
        #expect(harness.feed(.closed(2)).messages(to: 3).contains(.payloadRequest(first)))
        #expect(!harness.hear(3, .payloadMissing(first)).messages(to: 3).contains(.payloadRequest(first)))
        let other = CustodyRequest(zone: Sample.zone(1), payload: Self.payload(1), byteCount: 100)
        _ = harness.hear(3, .custodyRequest(other))
        let second = PayloadRequest(zone: Sample.zone(1), outlineOf: Self.payload(1))
        #expect(harness.feed(.custodyDecided(3, other, nil)).messages(to: 3).contains(.payloadRequest(second)))
    }

    @Test func `reports that a requested payload is not available`() {
        var harness = harness([2])
        _ = harness.hear(2, .custodyRequest(request()))
        _ = harness.feed(.custodyDecided(2, request(), nil))
        let effects = harness.feed(.payloadKept(2, Self.payload(1), position: nil, .unwanted))
        #expect(effects.answers(to: 2) == [.refused])
    }

    @Test func `keeps nothing for accounts that may not read the zone, and decides about a few at a time`() {
        var limits = SyncLimits()
        limits.custodyAskedCountMax = 2
        var harness = harness([2], limits: limits)
        let unknown = CustodyRequest(zone: Sample.zone(5), payload: Self.payload(1), byteCount: 1)
        #expect(harness.hear(2, .custodyRequest(unknown)).answers(to: 2) == [.refused])
        for _ in 0..<2 { #expect(harness.hear(2, .custodyRequest(request())).taken == [2]) }
        #expect(harness.hear(2, .custodyRequest(request())).answers(to: 2) == [.full])
        #expect(harness.core.custodyLoad.pending == 2)
        _ = harness.feed(.custodyDecided(2, request(), .refused))
        #expect(harness.hear(2, .custodyRelease(request())).ended == [2])
        #expect(harness.feed(.custodyDecided(2, request(), .released)).answers(to: 2) == [.released])
        // A session that has ended receives no answer.
        _ = harness.feed(.closed(2))
        #expect(harness.feed(.custodyDecided(2, request(), .released)).answers(to: 2).isEmpty)
        #expect(harness.core.custodyLoad.pending == 0)
        harness.open(5, account: AccountID(Sample.hash(5).digest))
        #expect(harness.hear(5, .custodyRequest(request())).taken.isEmpty)
    }

    @Test func `forgets a payload when no device waits for it any more`() {
        var harness = harness([2, 3])
        for device in [2, 3] {
            _ = harness.hear(device, .custodyRequest(request()))
            _ = harness.feed(.custodyDecided(SessionID(device), request(), nil))
        }
        #expect(harness.core.custody.waiting[Self.payload(1)]?.count == 2)
        _ = harness.hear(2, .custodyRelease(request()))
        #expect(harness.core.custody.waiting[Self.payload(1)]?.keys.sorted() == [3])
        // With the last one the table of the payload goes as well: payloads could be named without end.
        _ = harness.hear(3, .custodyRelease(request()))
        #expect(harness.core.custody.waiting.isEmpty)
        // One that no device waits for changes nothing.
        _ = harness.feed(.custodyDecided(3, request(), .released))
        _ = harness.hear(3, .custodyRelease(request(2)))
        #expect(harness.core.custody.waiting.isEmpty)
    }

    @Test func `has room for as many requests as before when it has decided about releases`() {
        var limits = SyncLimits()
        limits.custodyAskedCountMax = 2
        var harness = harness([2], limits: limits)
        for _ in 0..<2 {
            #expect(harness.hear(2, .custodyRelease(request())).ended == [2])
            #expect(harness.core.custodyLoad.pending == 1)
            #expect(harness.feed(.custodyDecided(2, request(), .released)).answers(to: 2) == [.released])
            #expect(harness.core.custodyLoad.pending == 0)
        }
        for _ in 0..<2 { #expect(harness.hear(2, .custodyRequest(request())).taken == [2]) }
        #expect(harness.hear(2, .custodyRequest(request())).answers(to: 2) == [.full])
    }
}

extension [SyncEffect] {
    /// The payloads that relays are asked to keep.
    fileprivate var custody: [CustodyRequest] {
        compactMap { if case .send(_, .custodyRequest(let request)) = $0 { request } else { nil } }
    }

    fileprivate var released: [PayloadID] {
        compactMap { if case .send(_, .custodyRelease(let request)) = $0 { request.payload } else { nil } }
    }

    /// The outcomes reported by relays that are to be remembered.
    fileprivate var notes: [CustodyAnswer.Outcome] {
        compactMap { if case .write(.noteCustody(_, let answer, _)) = $0 { answer.outcome } else { nil } }
    }

    fileprivate func answers(to id: SessionID) -> [CustodyAnswer.Outcome] {
        messages(to: Int(id)).compactMap { if case .custodyAnswer(let answer) = $0 { answer.outcome } else { nil } }
    }

    /// The sessions for which the store is to decide.
    fileprivate var taken: [SessionID] {
        compactMap { if case .write(.takeCustody(let id, _, _, _)) = $0 { id } else { nil } }
    }

    fileprivate var ended: [SessionID] {
        compactMap { if case .write(.endCustody(let id, _, _)) = $0 { id } else { nil } }
    }
}
