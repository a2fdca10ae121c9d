import Sync
import TestSupport
import Testing
import Wire

/// The core's requests for payloads, the peers that it asks, and the parts that it gives to others.
@Suite("The chunk lane") struct PayloadExchangeTests {
    private static let payload = outline(1)?.id ?? .zero

    private static func outline(_ number: UInt64) -> PayloadOutline? {
        let hashes = [Sample.hash(number), Sample.hash(number)]
        return PayloadOutline(byteCount: 65_537, chunkByteCount: Limits.chunkByteCount, chunks: hashes)
    }

    private static let small = PayloadOutline(
        byteCount: 1,
        chunkByteCount: Limits.chunkByteCount,
        chunks: [Sample.hash(9)]
    )

    private func smallChunk() throws -> PayloadChunk {
        let id = try #require(Self.small?.id)
        return PayloadChunk(zone: Sample.zone(0), payload: id, position: 0, bytes: [1])
    }

    private func wantSmall() throws -> SyncInput {
        let id = try #require(Self.small?.id)
        return .payloadWanted(PayloadWant(zone: Sample.zone(0), payload: id, sender: nil, missing: nil))
    }

    /// An outline as the answer about a payload.
    private static func answer(_ outline: PayloadOutline?, about payload: PayloadID) -> PeerMessage {
        outline.map {
            .payloadOutline(PayloadOutlineMessage(zone: Sample.zone(0), payload: payload, outline: $0))
        } ?? .resume
    }

    private func want(_ number: UInt64 = 1, sender: Int? = nil, missing: [UInt64]?) -> SyncInput {
        .payloadWanted(
            PayloadWant(
                zone: Sample.zone(0),
                payload: Self.outline(number)?.id ?? .zero,
                sender: sender.map { Sample.device($0) },
                missing: missing
            )
        )
    }

    private func chunk(_ position: UInt64) -> PeerMessage {
        .payloadChunk(PayloadChunk(zone: Sample.zone(0), payload: Self.payload, position: position, bytes: [1]))
    }

    private func missing(_ positions: [UInt64]) -> PeerMessage {
        .payloadMissing(PayloadRequest(zone: Sample.zone(0), payload: Self.payload, positions: positions))
    }

    private func kept(_ device: Int, _ position: UInt64, _ outcome: PayloadOutcome = .kept) -> SyncInput {
        .payloadKept(SessionID(device), Self.payload, position: position, outcome)
    }

    /// A core that holds zone 0, with sessions of some devices.
    private func harness(_ devices: [Int], limits: SyncLimits = SyncLimits()) -> CoreHarness {
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        for device in devices { _ = harness.openInStep(device, theirs: [1: 3]) }
        return harness
    }

    @Test func `asks the sender for the outline, then for chunks, and no more than has room on the way`() {
        var harness = harness([2, 3])
        #expect(harness.feed(want(sender: 3, missing: nil)).requests == [3: [[]]])
        let effects = harness.hear(3, Self.answer(Self.outline(1), about: Self.payload))
        #expect(effects.outlines == [Self.payload])
        let all = (0..<80).map { UInt64($0) }
        let asked = harness.feed(.payloadKept(3, Self.payload, position: nil, .outlined(missing: all))).requests
        #expect(
            asked == [
                3: [Array(all[0..<16]), Array(all[16..<32])], 2: [Array(all[32..<48]), Array(all[48..<64])],
            ]
        )
        // A chunk that waits for the disk counts as well; with each part that is kept there is room for another.
        #expect(harness.hear(3, chunk(0)).requests.isEmpty)
        #expect(harness.feed(kept(3, 0)).requests == [3: [[64]]])
    }

    @Test func `takes a sole chunk behind its outline without a further request`() throws {
        var harness = harness([2])
        let chunk = try smallChunk()
        #expect(harness.feed(try wantSmall()).requests == [2: [[]]])
        #expect(harness.hear(2, Self.answer(Self.small, about: chunk.payload)).requests.isEmpty)
        #expect(harness.hear(2, .payloadChunk(chunk)).chunks == [0])
        // A second copy is no answer to a request.
        #expect(harness.hear(2, .payloadChunk(chunk)).chunks.isEmpty)
        let outlined = harness.feed(.payloadKept(2, chunk.payload, position: nil, .outlined(missing: [0])))
        #expect(outlined.requests.isEmpty)
        harness.feed(.payloadKept(2, chunk.payload, position: 0, .complete))
        #expect(harness.core.wantedPayloads.isEmpty)
    }

    @Test func `asks for a sole chunk that comes late, and elsewhere for one that the peer lacks`() throws {
        var harness = harness([2, 3])
        let chunk = try smallChunk()
        harness.feed(try wantSmall())
        _ = harness.hear(2, Self.answer(Self.small, about: chunk.payload))
        // The chunk is on its way.
        let outlined = harness.feed(.payloadKept(2, chunk.payload, position: nil, .outlined(missing: [0])))
        #expect(outlined.requests.isEmpty)
        let lacking = PayloadRequest(zone: Sample.zone(0), payload: chunk.payload, positions: [0])
        #expect(harness.hear(2, .payloadMissing(lacking)).requests == [3: [[0]]])
    }

    @Test func `asks for an outline again that could not be kept, whatever became of the chunk behind it`() throws {
        var harness = harness([2])
        let chunk = try smallChunk()
        harness.feed(try wantSmall())
        _ = harness.hear(2, Self.answer(Self.small, about: chunk.payload))
        _ = harness.hear(2, .payloadChunk(chunk))
        harness.feed(.payloadKept(2, chunk.payload, position: nil, .storageFull))
        harness.feed(.payloadKept(2, chunk.payload, position: 0, .unwanted))
        #expect(harness.core.wantedPayloads == [chunk.payload])
        #expect(harness.wait(31_000, hearing: [2]).requests == [2: [[]]])
    }

    @Test func `fetches further small payloads while others wait for the disk, up to a window of them`() throws {
        var harness = harness([2])
        let outlines = (1...60).compactMap { number in
            PayloadOutline(byteCount: 1, chunkByteCount: Limits.chunkByteCount, chunks: [Sample.hash(number)])
        }
        var asked = 0
        for outline in outlines {
            let want = PayloadWant(zone: Sample.zone(0), payload: outline.id, sender: nil, missing: nil)
            asked += harness.feed(.payloadWanted(want)).requests[2]?.count ?? 0
        }
        #expect(asked == 4)
        for outline in outlines.prefix(asked) where asked < 60 {
            asked += harness.hear(2, Self.answer(outline, about: outline.id)).requests[2]?.count ?? 0
            let chunk = PayloadChunk(zone: Sample.zone(0), payload: outline.id, position: 0, bytes: [1])
            asked += harness.hear(2, .payloadChunk(chunk)).requests[2]?.count ?? 0
        }
        #expect(asked > 4)
    }

    @Test func `sends the sole chunk of a payload behind its outline, or says that it is missing`() throws {
        var harness = harness([2])
        let (outline, chunk) = (try #require(Self.small), try smallChunk())
        let request = PayloadRequest(zone: Sample.zone(0), outlineOf: outline.id)
        _ = harness.hear(2, .payloadRequest(request))
        let sent = harness.feed(.payloadRead(2, request, .outline(outline, sole: chunk))).messages(to: 2)
        #expect(sent == [Self.answer(outline, about: outline.id), .payloadChunk(chunk)])
        _ = harness.hear(2, .payloadRequest(request))
        let damaged = harness.feed(.payloadRead(2, request, .outline(outline, isSoleDamaged: true)))
        let rest = PayloadRequest(zone: Sample.zone(0), payload: outline.id, positions: [0])
        #expect(damaged.messages(to: 2) == [Self.answer(outline, about: outline.id), .payloadMissing(rest)])
        #expect(damaged.rechecks == [[0]])
    }

    @Test func `recognises each outline, in any order of arrival`() throws {
        var harness = harness([2])
        for number in 1...2 as ClosedRange<UInt64> { harness.feed(want(number, missing: nil)) }
        let outlines = try (1...3).map { try #require(Self.outline($0)) }
        // One that was not requested is no answer.
        #expect(harness.hear(2, Self.answer(outlines[2], about: outlines[2].id)).outlines.isEmpty)
        for outline in outlines[..<2].reversed() {
            #expect(harness.hear(2, Self.answer(outline, about: outline.id)).outlines == [outline.id])
            #expect(harness.hear(2, Self.answer(outline, about: outline.id)).outlines.isEmpty)
        }
    }

    @Test func `ends the session of a peer that sends the outline of another payload, and asks another one`() {
        var harness = harness([2, 3])
        _ = harness.feed(want(sender: 2, missing: nil))
        #expect(harness.hear(2, Self.answer(Self.outline(2), about: Self.payload)).outlines == [Self.payload])
        let effects = harness.feed(.payloadKept(2, Self.payload, position: nil, .mismatch))
        #expect(effects.closed == [2: .violation] && effects.requests == [3: [[]]])
    }

    @Test func `does not wait for a peer that sends only unrequested chunks`() {
        var harness = harness([2, 3])
        #expect(harness.feed(want(sender: 2, missing: [0])).requests == [2: [[0]]])
        for _ in 0..<2 {
            _ = harness.wait(14_000, hearing: [2, 3])
            _ = harness.hear(2, chunk(7))
        }
        #expect(harness.wait(4_000, hearing: [2, 3]).requests == [3: [[0]]])
    }

    @Test func `asks another peer for missing chunks, and the same one again after some time`() {
        var harness = harness([2])
        #expect(harness.feed(want(missing: [0, 1])).requests == [2: [[0, 1]]])
        #expect(harness.hear(2, missing([0, 1])).requests.isEmpty)
        #expect(harness.wait(1_900, hearing: [2]).requests.isEmpty)
        #expect(harness.wait(200, hearing: [2]).requests == [2: [[0, 1]]])
        // The pause is longer the more often it had nothing; a peer that comes anew is asked at once.
        _ = harness.hear(2, missing([0, 1]))
        #expect(harness.wait(3_900, hearing: [2]).requests.isEmpty)
        _ = harness.openInStep(3, theirs: [1: 3])
        #expect(harness.feed(.tick).requests.isEmpty && harness.core.wantedPayloads == [Self.payload])
        #expect(harness.hear(3, missing([0, 1])).requests.isEmpty)
        #expect(harness.wait(70_000, hearing: [2, 3]).requests.keys.sorted() == [2, 3])
    }

    @Test func `repeats requests without an answer, or whose session ended`() {
        var harness = harness([2])
        #expect(harness.feed(want(missing: [0, 1, 2])).requests == [2: [[0, 1, 2]]])
        _ = harness.hear(2, chunk(1))
        _ = harness.feed(kept(2, 1))
        #expect(harness.wait(29_000, hearing: [2]).requests.isEmpty)
        #expect(harness.wait(4_000, hearing: [2]).requests == [2: [[0, 2]]])
        #expect(harness.feed(.closed(2)).requests.isEmpty)
        #expect(harness.open(3).requests == [3: [[0, 2]]])
    }

    @Test func `asks another one at once when a session ends by a violation`() {
        var harness = harness([2, 3])
        #expect(harness.feed(want(sender: 2, missing: [0])).requests == [2: [[0]]])
        let effects = harness.hear(2, .pairDone)
        #expect(effects.closed == [2: .violation] && effects.requests == [3: [[0]]])
    }

    @Test func `accepts requested chunks, from the asked peer, once`() {
        var harness = harness([2, 3])
        #expect(harness.feed(want(sender: 2, missing: [0])).requests == [2: [[0]]])
        #expect(harness.hear(3, chunk(0)).chunks.isEmpty && harness.hear(2, chunk(5)).chunks.isEmpty)
        #expect(harness.hear(2, chunk(0)).chunks == [0] && harness.hear(2, chunk(0)).chunks.isEmpty)
        #expect(harness.feed(kept(2, 0, .complete)).requests.isEmpty && harness.core.wantedPayloads.isEmpty)
    }

    @Test func `ends the session of a peer that sends a wrong chunk, and asks another one`() {
        var harness = harness([2, 3])
        _ = harness.feed(want(sender: 2, missing: [0]))
        _ = harness.hear(2, chunk(0))
        let effects = harness.feed(kept(2, 0, .mismatch))
        #expect(effects.closed == [2: .violation] && effects.requests == [3: [[0]]])
    }

    @Test func `asks for nothing while there is no room on the disk`() {
        var harness = harness([2])
        _ = harness.feed(want(missing: [0]))
        _ = harness.hear(2, chunk(0))
        #expect(harness.feed(kept(2, 0, .storageFull)).requests.isEmpty)
        #expect(harness.wait(14_000, hearing: [2]).requests.isEmpty)
        #expect(harness.wait(2_000, hearing: [2]).requests == [2: [[0]]])
    }

    @Test func `fetches some at a time in their order, and knows of no more than it may`() {
        var limits = SyncLimits()
        limits.payloadActiveCountMax = 2
        limits.payloadWantCountMax = 3
        var harness = harness([], limits: limits)
        for number in 1...4 as ClosedRange<UInt64> { harness.feed(want(number, missing: [0])) }
        #expect(harness.core.payloadRoom == 0 && harness.core.wantedPayloads.count == 3)
        harness.feed(want(1, missing: [0]))
        #expect(harness.core.wantedPayloads.count == 3)
        #expect(harness.open(2).requests == [2: [[0], [0]]])
    }

    @Test func `sends present chunks to peers that may read the zone, and reports missing ones`() throws {
        var harness = harness([2])
        let request = PayloadRequest(zone: Sample.zone(0), payload: Self.payload, positions: [0, 1])
        #expect(harness.hear(2, .payloadRequest(request)).payloadReads == [request])
        let chunk = PayloadChunk(zone: Sample.zone(0), payload: Self.payload, position: 1, bytes: [1])
        let answer = harness.feed(.payloadRead(2, request, .chunks([chunk]))).messages(to: 2)
        #expect(answer == [.payloadChunk(chunk), missing([0])])
        let unknown = PayloadRequest(zone: Sample.zone(5), outlineOf: Self.payload)
        #expect(harness.hear(2, .payloadRequest(unknown)).messages(to: 2) == [.payloadMissing(unknown)])
        // No peer has more read at a time than 8 MiB, and one request; each chunk is counted as a large one.
        var refused = 0
        for _ in 0..<40 { refused += harness.hear(2, .payloadRequest(request)).messages(to: 2).count }
        #expect(refused == 23)
        #expect(harness.feed(.payloadRead(2, request, .none)).messages(to: 2) == [.payloadMissing(request)])
        #expect(harness.hear(2, .payloadRequest(request)).payloadReads == [request])
    }

    @Test func `reads few outlines at a time for a peer, each counted with the most bytes that one may have`() {
        var harness = harness([2])
        let request = PayloadRequest(zone: Sample.zone(0), outlineOf: Self.payload)
        var (reads, refusals) = (0, 0)
        for _ in 0..<40 {
            let effects = harness.hear(2, .payloadRequest(request))
            reads += effects.payloadReads.count
            refusals += effects.messages(to: 2).count
        }
        #expect(reads == 5 && refusals == 35)
        // With each that is read there is room for another.
        for _ in 0..<2 { _ = harness.feed(.payloadRead(2, request, .none)) }
        #expect(harness.hear(2, .payloadRequest(request)).payloadReads == [request])
    }

    @Test func `has chunks checked that it could not give since they are damaged, also when the peer has gone`() {
        var harness = harness([2])
        let request = PayloadRequest(zone: Sample.zone(0), payload: Self.payload, positions: [0, 1])
        _ = harness.hear(2, .payloadRequest(request))
        let answered = harness.feed(.payloadRead(2, request, .chunks([], damaged: [1])))
        #expect(answered.messages(to: 2) == [missing([0, 1])] && answered.rechecks == [[1]])
        _ = harness.hear(2, .payloadRequest(request))
        _ = harness.feed(.closed(2))
        #expect(harness.feed(.payloadRead(2, request, .chunks([], damaged: [0, 1]))).rechecks == [[0, 1]])
        #expect(harness.feed(.payloadRead(2, request, .chunks([]))).rechecks.isEmpty)
    }

    @Test func `exchanges nothing with a peer that may not read the zone`() throws {
        var harness = harness([])
        harness.open(5, account: AccountID(Sample.hash(5).digest))
        #expect(harness.feed(want(missing: [0])).requests.isEmpty)
        let request = PayloadRequest(zone: Sample.zone(0), outlineOf: Self.payload)
        #expect(harness.hear(5, .payloadRequest(request)).payloadReads.isEmpty)
    }
}

extension [SyncEffect] {
    /// The positions that each session is asked for, request by request.
    fileprivate var requests: [SessionID: [[UInt64]]] {
        reduce(into: [:]) { result, effect in
            guard case .send(let id, .payloadRequest(let request)) = effect else { return }
            result[id, default: []].append(request.positions)
        }
    }

    fileprivate var outlines: [PayloadID] {
        compactMap { if case .write(.keepOutline(_, _, let payload)) = $0 { payload } else { nil } }
    }

    fileprivate var chunks: [UInt64] {
        compactMap { if case .write(.keepChunk(_, let chunk)) = $0 { chunk.position } else { nil } }
    }

    fileprivate var rechecks: [[UInt64]] {
        compactMap { if case .write(.recheck(_, let positions)) = $0 { positions } else { nil } }
    }

    fileprivate var payloadReads: [PayloadRequest] {
        compactMap { if case .read(.payload(_, let request, _)) = $0 { request } else { nil } }
    }
}
