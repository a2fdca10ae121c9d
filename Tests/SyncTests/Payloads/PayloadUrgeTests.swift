import Identity
import Sync
import Testing
import Wire

@Suite struct `Payloads that readers wait for` {
    private func payload(_ number: UInt64) -> PayloadID { PayloadID(Sample.hash(number).digest) }

    private func want(
        _ number: UInt64,
        zone: Int = 0,
        others: [Int] = [],
        missing: [UInt64]?,
        chunkByteCount: Int = Limits.chunkByteCount,
        needsRoom: Bool = false
    ) -> SyncInput {
        .payloadWanted(
            PayloadWant(
                zone: Sample.zone(zone),
                others: others.map { Sample.zone($0) },
                payload: payload(number),
                sender: nil,
                missing: missing,
                chunkByteCount: chunkByteCount,
                needsRoom: needsRoom
            )
        )
    }

    private func chunk(_ number: UInt64, _ position: UInt64) -> PeerMessage {
        .payloadChunk(PayloadChunk(zone: Sample.zone(0), payload: payload(number), position: position, bytes: [1]))
    }

    /// The place of the first byte of a chunk.
    private func offset(_ chunk: UInt64) -> UInt64 { chunk * UInt64(Limits.chunkByteCount) }

    private func missing(_ number: UInt64, _ positions: [UInt64]) -> PeerMessage {
        .payloadMissing(PayloadRequest(zone: Sample.zone(0), payload: payload(number), positions: positions))
    }

    /// A core that holds zone 0, with a session of device 2.
    private func harness(_ change: (inout SyncLimits) -> Void = { _ in }) -> CoreHarness {
        var limits = SyncLimits()
        change(&limits)
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        _ = harness.openInStep(2, theirs: [1: 3])
        return harness
    }

    /// Lets a requested chunk arrive and be kept.
    private func deliver(_ number: UInt64, _ position: UInt64, _ harness: inout CoreHarness) -> [Request] {
        let asked = harness.hear(2, chunk(number, position)).requests
        return asked + harness.feed(.payloadKept(2, payload(number), position: position, .kept)).requests
    }

    @Test func `have the chunks from the reader's place on requested first, as many as the window takes`() {
        var harness = harness { $0.payloadWindowByteCount = 2 * Limits.chunkByteCount }
        let all = (0..<10).map { UInt64($0) }
        #expect(harness.feed(want(1, missing: all)).requests == [Request(payload(1), [0, 1])])
        #expect(harness.feed(.payloadUrged(payload(1), from: offset(6))).requests.isEmpty)
        #expect(deliver(1, 0, &harness) == [Request(payload(1), [6])])
        #expect(deliver(1, 1, &harness) == [Request(payload(1), [7])])
        // The reader reads on, and behind its chunks come the others.
        #expect(deliver(1, 6, &harness) == [Request(payload(1), [2])])
        #expect(harness.feed(.payloadUrged(payload(1), from: offset(7) + 9)).requests.isEmpty)
        #expect(deliver(1, 7, &harness) == [Request(payload(1), [8])])
    }

    @Test func `have the place of the reader found by the outline, which may come later`() throws {
        var harness = harness()
        let size = UInt64(Limits.chunkByteCountMax)
        harness.feed(.payloadUrged(payload(1), from: 40 * size + 1))
        #expect(harness.feed(want(1, missing: nil)).requests == [Request(payload(1), [])])
        let hashes = (0..<50).map { Sample.hash(UInt64($0)) }
        let outline = try #require(PayloadOutline(byteCount: 50 * size, chunkByteCount: Int(size), chunks: hashes))
        let message = PayloadOutlineMessage(zone: Sample.zone(0), payload: payload(1), outline: outline)
        #expect(harness.hear(2, .payloadOutline(message)).requests.isEmpty)
        let all = (0..<50).map { UInt64($0) }
        let requests = harness.feed(.payloadKept(2, payload(1), position: nil, .outlined(missing: all))).requests
        #expect(requests == [Request(payload(1), Array(40..<48))])
    }

    @Test func `share a session, and one whose reader has gone waits its turn again`() {
        var harness = harness {
            $0.payloadWindowByteCount = 2 * Limits.chunkByteCount
            $0.payloadUrgeMilliseconds = 1_000
        }
        let all = (0..<6).map { UInt64($0) }
        harness.feed(want(1, missing: all))
        harness.feed(want(2, missing: all))
        harness.feed(.payloadUrged(payload(2), from: offset(4) - 1))
        #expect(deliver(1, 0, &harness) == [Request(payload(2), [3])])
        _ = harness.wait(1_100, hearing: [2])
        #expect(deliver(1, 1, &harness) == [Request(payload(1), [2])])
    }

    @Test func `are looked for at once where the core does not know them, and beyond its places`() {
        var harness = harness { $0.payloadWantCountMax = 1 }
        harness.feed(want(1, missing: [0]))
        harness.feed(.payloadUrged(payload(2), from: 0))
        #expect(harness.core.isPayloadSearchDue(isNew: false))
        let search = harness.core.takePayloadSearch(isNew: false)
        #expect(search == PayloadSearch(known: [payload(1)], urged: [payload(2)], limit: 0))
        #expect(!harness.core.isPayloadSearchDue(isNew: false), "the store is asked once")
        #expect(harness.feed(want(2, missing: [0])).requests == [Request(payload(2), [0])])
        harness.feed(.payloadsSearched(through: 0, isAtEnd: false))
        #expect(harness.core.wantedPayloads == [payload(1), payload(2)])
        #expect(!harness.core.isPayloadSearchDue(isNew: false))
    }

    @Test func `are few: the one whose reader was heard least recently gives way`() {
        var harness = harness {
            $0.payloadWantCountMax = 1
            $0.payloadUrgeCountMax = 2
        }
        harness.feed(want(9, missing: [0]))
        for number in 1...3 as ClosedRange<UInt64> {
            harness.feed(.payloadUrged(payload(number), from: 0))
            harness.now += 1
        }
        let urged = harness.core.takePayloadSearch(isNew: false)?.urged ?? []
        #expect(Set(urged) == [payload(2), payload(3)])
    }

    @Test func `fill a window by bytes: large chunks are fewer`() {
        var harness = harness()
        let all = (0..<100).map { UInt64($0) }
        let effects = harness.feed(want(1, missing: all, chunkByteCount: Limits.chunkByteCountMax))
        #expect(effects.requests.flatMap(\.positions).count == (2 << 20) / Limits.chunkByteCountMax)
    }

    @Test func `are asked for under another zone where the session may not read the first one`() {
        var harness = harness()
        let effects = harness.feed(want(1, zone: 7, others: [0], missing: nil))
        #expect(effects.requests == [Request(payload(1), [])])
        #expect(effects.zones == [Sample.zone(0)])
    }

    @Test func `are not asked for while there is no room, if a policy alone wants them`() {
        var harness = harness()
        harness.feed(.payloadRoom(isShort: true))
        #expect(harness.feed(want(1, missing: [0], needsRoom: true)).requests.isEmpty)
        #expect(harness.feed(want(2, missing: [0])).requests == [Request(payload(2), [0])])
        let short = harness.core.takePayloadSearch(isNew: true)
        #expect(short?.isShort == true)
        #expect(harness.feed(.payloadRoom(isShort: false)).requests == [Request(payload(1), [0])])
        let search = harness.core.takePayloadSearch(isNew: false)
        #expect(search == nil || search?.isShort == false)
    }

    @Test func `that no session has make place for others, and are looked for again later`() {
        var harness = harness { $0.payloadWantCountMax = 2 }
        let first = harness.core.takePayloadSearch(isNew: true)
        #expect(first == PayloadSearch(known: [], limit: 2))
        harness.feed(want(1, missing: [0]))
        harness.feed(want(2, missing: [0]))
        harness.feed(.payloadsSearched(through: 2, isAtEnd: false))
        #expect(!harness.core.isPayloadSearchDue(isNew: false), "all places are taken")
        _ = harness.hear(2, missing(1, [0]))
        let second = harness.core.takePayloadSearch(isNew: false)
        #expect(second == PayloadSearch(known: [payload(2)], after: 2, limit: 1))
        #expect(harness.feed(want(3, missing: [0])).requests == [Request(payload(3), [0])])
        harness.feed(.payloadsSearched(through: 3, isAtEnd: true))
        let prospects = harness.core.prospects(of: [payload(1), payload(2), payload(3), payload(4)])
        #expect(prospects == [payload(1): .missing, payload(2): .coming, payload(3): .coming])
        #expect(!harness.core.isPayloadSearchDue(isNew: false))
        // One that was had makes the next round due, which begins from the front.
        _ = harness.hear(2, chunk(3, 0))
        harness.feed(.payloadKept(2, payload(3), position: 0, .complete))
        let third = harness.core.takePayloadSearch(isNew: false)
        #expect(third == PayloadSearch(known: [payload(2)], limit: 1))
    }

    @Test func `are looked for in further rounds after longer and longer pauses`() {
        var harness = harness { $0.payloadWantCountMax = 1 }
        _ = harness.core.takePayloadSearch(isNew: true)
        harness.feed(want(1, missing: [0]))
        harness.feed(.payloadsSearched(through: 1, isAtEnd: false))
        var pauses: [UInt64] = []
        var last = harness.now
        for _ in 0..<4 {
            _ = harness.hear(2, missing(harness.core.wantedPayloads == [payload(1)] ? 1 : 2, [0]))
            let next = harness.core.takePayloadSearch(isNew: false)
            #expect(next?.after == 1)
            harness.feed(want(2, missing: [0]))
            harness.feed(.payloadsSearched(through: 2, isAtEnd: true))
            while !harness.core.isPayloadSearchDue(isNew: false), harness.now < last + 3_600_000 {
                _ = harness.hear(2, missing(2, [0]))
                _ = harness.wait(1_000, hearing: [2])
            }
            pauses.append((harness.now - last) / 60_000)
            last = harness.now
            let again = harness.core.takePayloadSearch(isNew: false)
            #expect(again?.after == 0)
            harness.feed(want(1, missing: [0]))
            harness.feed(.payloadsSearched(through: 1, isAtEnd: false))
        }
        #expect(pauses == [1, 1, 2, 4])
    }

    @Test func `are unresolved where no session may read a zone that names them`() {
        var harness = harness()
        harness.feed(want(1, zone: 7, missing: nil))
        #expect(harness.core.prospects(of: [payload(1)]) == [payload(1): .unresolved])
        #expect(AssetState.queued.with(.unresolved) == .unresolved && AssetState.queued.with(.missing) == .missing)
        #expect(AssetState.partial(percent: 3).with(.missing) == .partial(percent: 3))
        #expect(AssetState.queued.with(nil) == .queued && AssetState.present.with(.missing) == .present)
    }
}

/// A request for a payload.
private struct Request: Equatable {
    let payload: PayloadID
    let positions: [UInt64]

    init(_ payload: PayloadID, _ positions: [UInt64]) { (self.payload, self.positions) = (payload, positions) }
}

extension [SyncEffect] {
    fileprivate var requests: [Request] {
        compactMap { effect in
            guard case .send(_, .payloadRequest(let request)) = effect else { return nil }
            return Request(request.payload, request.positions)
        }
    }

    fileprivate var zones: [ZoneID] {
        compactMap { if case .send(_, .payloadRequest(let request)) = $0 { request.zone } else { nil } }
    }
}
