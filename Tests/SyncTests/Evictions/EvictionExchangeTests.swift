import TestSupport
import Testing
import Wire

@testable import Sync

/// The core's requests for promises, and its answers as a holder.
@Suite struct `An exchange about an eviction` {
    private static func payload(_ number: UInt64) -> PayloadID { PayloadID(Sample.hash(number).digest) }
    private static let zone = Sample.zone(0)
    private static let until: UInt64 = 90_000_000

    private func order(
        _ id: UInt64 = 1,
        _ payload: UInt64 = 1,
        copies: Int = 1,
        countsOthers: Bool = false
    ) -> SyncInput {
        .evictionAsked(
            EvictionOrder(id: id, payload: Self.payload(payload), copies: copies, countsOthers: countsOthers)
        )
    }

    private func request(
        _ payloads: [UInt64] = [1],
        promises: Bool = true,
        zone: ZoneID = Self.zone
    ) -> RetentionRequest {
        RetentionRequest(zone: zone, asksForPromises: promises, payloads: payloads.map { Self.payload($0) })
    }

    private func answer(
        _ word: RetentionStatus.Word = .promised(until: Self.until),
        _ payloads: [UInt64] = [1]
    ) -> PeerMessage {
        .retentionAnswer(RetentionAnswer(to: request(payloads, promises: word != .held), word))
    }

    /// A core that holds zone 0, with sessions of some devices, which know the messages.
    private func harness(_ devices: [Int], limits: SyncLimits = SyncLimits()) -> CoreHarness {
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        for device in devices { harness.open(device, remoteRevision: 1) }
        return harness
    }

    private func heard(_ device: Int, _ word: HolderAnswer.Word) -> HolderAnswer {
        HolderAnswer(device: Sample.device(device), account: Sample.account, word: word)
    }

    /// Begins an attempt, whose row is durable at once.
    private func begin(_ harness: inout CoreHarness, _ order: SyncInput? = nil, attempt: UInt64 = 1) -> [SyncEffect] {
        let begun = harness.feed(order ?? self.order())
        #expect(begun.begun == [attempt] && begun.requests.isEmpty, "the row comes before the requests")
        return harness.feed(.evictionBegun(.begun(zones: [Self.zone]), attempt: attempt))
    }

    // MARK: As the evictor

    @Test func `asks for no more promises than are needed, and drops the content with them`() {
        var harness = harness([2, 3, 4])
        #expect(begin(&harness).requests == [2: [request()]])
        let effects = harness.hear(2, answer())
        let drop = EvictionDrop(
            payload: Self.payload(1),
            attempt: 1,
            promisedUntil: Self.until,
            holder: Sample.device(2)
        )
        #expect(effects.drops == [drop] && effects.requests.isEmpty && effects.outcomes.isEmpty)
        let done = harness.feed(.evictionDone(.evicted(byteCount: 7), attempt: 1))
        #expect(done.outcomes == [1: .evicted(byteCount: 7, [heard(2, .promised(until: Self.until))])])
        #expect(harness.core.evictionLoad == (polls: 0, asked: 0, pending: 0))
    }

    @Test func `asks as many devices at once as promises are needed, and goes by the one that ends first`() {
        var harness = harness([2, 3, 4])
        #expect(begin(&harness, order(copies: 2)).requests == [2: [request()], 3: [request()]])
        #expect(harness.hear(3, answer(.promised(until: 5_000_000))).drops.isEmpty)
        let effects = harness.hear(2, answer(.promised(until: 6_000_000)))
        #expect(effects.drops.map(\.promisedUntil) == [5_000_000] && effects.drops.map(\.holder) == [Sample.device(2)])
    }

    @Test func `asks another device in place of one that does not promise, or does not answer`() {
        var harness = harness([2, 3, 4])
        #expect(begin(&harness).requests.keys.sorted() == [2])
        #expect(harness.hear(2, answer(.absent)).requests == [3: [request()]])
        #expect(harness.wait(1_900, hearing: [2, 3, 4]).requests.isEmpty)
        #expect(harness.wait(200, hearing: [2, 3, 4]).requests == [4: [request()]])
        // A late answer is good as well.
        #expect(harness.hear(3, answer()).drops.map(\.holder) == [Sample.device(3)])
    }

    @Test func `ends with the answers when every device has been asked in vain`() {
        var harness = harness([2, 3])
        _ = begin(&harness)
        #expect(harness.hear(2, answer(.evicting)).outcomes.isEmpty)
        let effects = harness.hear(3, answer(.refused))
        #expect(effects.outcomes == [1: .notSafe([heard(2, .evicting), heard(3, .refused)])])
        #expect(effects.ended == [EvictionRow(payload: Self.payload(1), attempt: 1)])
        // Without a device there is none to wait for.
        var alone = CoreHarness()
        alone.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        #expect(begin(&alone).outcomes == [1: .notSafe([])])
    }

    @Test func `ends after ten seconds, and says which devices were silent`() {
        var harness = harness([2, 3])
        _ = begin(&harness, order(copies: 2))
        _ = harness.hear(2, answer())
        #expect(harness.wait(9_900, hearing: [2, 3]).outcomes.isEmpty)
        let effects = harness.wait(200, hearing: [2, 3])
        let answers = [heard(2, .promised(until: Self.until)), heard(3, .silent)]
        #expect(effects.outcomes == [1: .notSafe(answers)] && effects.ended.count == 1)
        #expect(harness.hear(3, answer()).drops.isEmpty, "it comes too late")
    }

    @Test func `does not use a promise that was asked for 15 minutes ago`() {
        var limits = SyncLimits()
        limits.evictionMilliseconds = 3_600_000
        var harness = harness([2, 3], limits: limits)
        _ = begin(&harness, order(copies: 2))
        _ = harness.hear(2, answer())
        _ = harness.wait(15 * 60 * 1_000, hearing: [2, 3])
        #expect(harness.hear(3, answer()).drops.isEmpty)
        // One millisecond earlier both would have been good.
        var other = self.harness([2, 3], limits: limits)
        _ = begin(&other, order(copies: 2))
        _ = other.hear(2, answer())
        _ = other.wait(15 * 60 * 1_000 - 1, hearing: [2, 3])
        #expect(other.hear(3, answer()).drops.count == 1)
    }

    @Test func `does not use a promise of a session that has ended, and asks anew in the next one`() {
        var harness = harness([2, 3])
        _ = begin(&harness, order(copies: 2))
        _ = harness.hear(2, answer())
        _ = harness.feed(.closed(2))
        #expect(harness.open(2, remoteRevision: 1).requests == [2: [request()]])
        #expect(harness.hear(3, answer()).drops.isEmpty, "the device may have started again with an older store")
        #expect(harness.hear(2, answer()).drops.count == 1)
    }

    @Test func `counts a device once, whichever sessions it has`() {
        var harness = harness([2])
        let second = SessionOpening(
            session: 12,
            device: Sample.device(2),
            account: Sample.account,
            standing: .active,
            accountHeads: [Sample.hash(400)],
            binding: [UInt8](repeating: 12, count: 32),
            isInitiator: true,
            remoteRevision: 1
        )
        harness.feed(.opened(second))
        #expect(begin(&harness, order(copies: 2)).requests.values.joined().count == 1)
        #expect(harness.hear(2, answer()).drops.isEmpty)
    }

    @Test func `ignores an answer that it has not asked for, and one to an earlier attempt`() {
        var harness = harness([2, 3])
        _ = begin(&harness, order(copies: 2))
        #expect(harness.hear(2, answer(.promised(until: 9), [2])).drops.isEmpty)
        _ = harness.hear(2, answer(.held))
        #expect(harness.wait(11_000, hearing: [2, 3]).outcomes.count == 1)
        // The next attempt asks again; the answers to the first one come now.
        #expect(begin(&harness, order(2), attempt: 2).requests == [2: [request()]])
        #expect(harness.hear(2, answer()).drops.isEmpty)
        #expect(harness.hear(2, answer()).drops.map(\.attempt) == [2])
    }

    @Test func `takes no promise to an earlier attempt for one to a later attempt, whatever has overtaken it`() {
        var harness = harness([2])
        _ = begin(&harness)
        #expect(harness.wait(11_000, hearing: [2]).outcomes.count == 1)
        #expect(begin(&harness, order(2), attempt: 2).requests == [2: [request()]])
        // The holder has too much to decide, and says so at once; its promise to the first attempt comes behind that.
        #expect(harness.hear(2, answer(.refused)).outcomes == [2: .notSafe([heard(2, .refused)])])
        #expect(harness.hear(2, answer()).drops.isEmpty)
        #expect(harness.core.evictionLoad.asked == 0)
    }

    @Test func `asks only devices whose programs know the messages`() throws {
        var harness = harness([])
        harness.open(2)
        let effects = begin(&harness)
        #expect(effects.requests.isEmpty && effects.outcomes == [1: .notSafe([heard(2, .unaware)])])
        // A program that states itself later is asked then.
        var later = self.harness([3])
        later.open(2)
        _ = begin(&later, order(copies: 2))
        let program = try #require(ProgramNote(version: "0.1.0"))
        #expect(later.hear(2, .program(program)).requests == [2: [request()]])
    }

    @Test func `is one for each content, of a bounded number`() {
        var limits = SyncLimits()
        limits.evictionCountMax = 2
        var harness = harness([2], limits: limits)
        _ = begin(&harness)
        #expect(harness.feed(order(2)).outcomes == [2: .refused(.attempt)])
        #expect(harness.feed(order(3, 2)).begun == [2])
        #expect(harness.feed(order(4, 3)).outcomes == [4: .refused(.full)])
        #expect(harness.feed(.evictionBegun(.refused(.custody), attempt: 2)).outcomes == [3: .refused(.custody)])
        #expect(harness.feed(order(5, 3)).begun == [3])
    }

    @Test func `asks about many contents in one message, and leaves the rest until there is an answer`() {
        var limits = SyncLimits()
        limits.promiseAskedCountMax = 1
        limits.evictionCountMax = 100
        var harness = harness([2], limits: limits)
        for number in 1...66 as ClosedRange<UInt64> { _ = harness.feed(order(number, number)) }
        for number in 1...66 as ClosedRange<UInt64> {
            let effects = harness.feed(.evictionBegun(.begun(zones: [Self.zone]), attempt: number))
            #expect(effects.requests.isEmpty == (number > 1))
        }
        let next = harness.hear(2, answer(.absent, [1])).requests[2] ?? []
        #expect(next.map(\.payloads.count) == [64])
        let answered = RetentionAnswer(to: next[0], .promised(until: Self.until))
        let last = harness.hear(2, .retentionAnswer(answered))
        #expect(last.drops.count == 64 && last.requests[2]?.map(\.payloads.count) == [1])
    }

    @Test func `that is withdrawn, or of an earlier lifetime of the store, ends`() {
        var harness = harness([2])
        _ = begin(&harness)
        let effects = harness.feed(.evictionWithdrawn(1))
        #expect(effects.outcomes == [1: .withdrawn] && effects.ended.count == 1)
        // While the row is being written it is withdrawn when that is done.
        _ = harness.feed(order(2))
        #expect(harness.feed(.evictionWithdrawn(2)).outcomes.isEmpty)
        let begun = harness.feed(.evictionBegun(.begun(zones: [Self.zone]), attempt: 2))
        #expect(begun.outcomes == [2: .withdrawn] && begun.ended.count == 1 && begun.requests.isEmpty)
        _ = begin(&harness, order(3), attempt: 3)
        harness.core.incarnationChanged(Sample.incarnation)
        #expect(harness.feed(.tick).outcomes == [3: .withdrawn])
        // A drop that the store is making is made.
        _ = begin(&harness, order(4), attempt: 4)
        #expect(harness.hear(2, answer()).drops.isEmpty, "it answers the first attempt")
        for _ in 0..<2 { _ = harness.hear(2, answer()) }
        #expect(harness.feed(.evictionWithdrawn(4)).outcomes.isEmpty)
        #expect(harness.feed(.evictionDone(.evicted(byteCount: 1), attempt: 4)).outcomes.count == 1)
    }

    @Test func `has its row removed until that succeeds`() {
        var harness = harness([2])
        let row = EvictionRow(payload: Self.payload(9), attempt: 7)
        #expect(harness.feed(.evictionsFound([row])).ended == [row], "an earlier process has left it behind")
        _ = harness.feed(.evictionUnended(row))
        #expect(harness.wait(14_000, hearing: [2]).ended.isEmpty)
        #expect(harness.wait(2_000, hearing: [2]).ended == [row])
        // The numbers go on behind those of the earlier process.
        _ = begin(&harness, attempt: 8)
        _ = harness.hear(2, answer())
        let failed = harness.feed(.evictionDone(.refused(.storage), attempt: 8))
        #expect(failed.ended == [EvictionRow(payload: Self.payload(1), attempt: 8)])
        // A device of another account has none of the attempts, and still removes their rows.
        _ = begin(&harness, order(2), attempt: 9)
        harness.core.accountReplaced(Sample.foreign)
        let rest = harness.feed(.tick)
        #expect(rest.ended == [EvictionRow(payload: Self.payload(1), attempt: 9)] && rest.outcomes.isEmpty)
    }

    // MARK: People

    @Test func `without a promise asks all devices at once, and lists them`() {
        var harness = harness([2, 3])
        let question = HolderQuestion(id: 5, payload: Self.payload(1), zones: [Self.zone])
        let asked = harness.feed(.holdersAsked(question))
        #expect(asked.requests == [2: [request(promises: false)], 3: [request(promises: false)]])
        #expect(asked.begun.isEmpty)
        #expect(harness.hear(2, answer(.held)).holders.isEmpty)
        #expect(harness.wait(2_900, hearing: [2, 3]).holders.isEmpty)
        let effects = harness.wait(200, hearing: [2, 3])
        #expect(effects.holders == [5: [heard(2, .held), heard(3, .silent)]] && effects.ended.isEmpty)
    }

    // MARK: As the holder

    @Test func `has the store decide, and answers once that is durable`() {
        var harness = harness([2])
        let effects = harness.hear(2, .retentionRequest(request()))
        #expect(effects.retained == [2] && effects.answers(to: 2).isEmpty)
        let promise = RetentionAnswer(to: request(), .promised(until: 5))
        #expect(harness.feed(.retentionDecided(2, request(), promise)).answers(to: 2) == [promise])
        let question = request(promises: false)
        #expect(harness.hear(2, .retentionRequest(question)).questions == [2])
        let held = RetentionAnswer(to: question, .held)
        #expect(harness.feed(.retentionDecided(2, question, held)).answers(to: 2) == [held])
        #expect(harness.core.evictionLoad.pending == 0)
    }

    @Test func `tells nothing to devices that may not read the zone, and decides about a few at a time`() {
        var limits = SyncLimits()
        limits.promiseAskedCountMax = 2
        var harness = harness([2], limits: limits)
        let unknown = request(zone: Sample.zone(5))
        let absent = harness.hear(2, .retentionRequest(unknown))
        #expect(absent.answers(to: 2) == [RetentionAnswer(to: unknown, .absent)] && absent.retained.isEmpty)
        for _ in 0..<2 { #expect(harness.hear(2, .retentionRequest(request())).retained == [2]) }
        let full = harness.hear(2, .retentionRequest(request()))
        #expect(full.answers(to: 2) == [RetentionAnswer(to: request(), .refused)] && full.retained.isEmpty)
        // Of a session that has ended nothing is left.
        _ = harness.feed(.closed(2))
        let late = harness.feed(.retentionDecided(2, request(), RetentionAnswer(to: request(), .absent)))
        #expect(late.answers(to: 2).isEmpty)
        #expect(harness.core.evictionLoad.pending == 0)
        harness.open(5, account: Sample.foreign)
        #expect(harness.hear(5, .retentionRequest(request())).retained.isEmpty)
    }
}

extension [SyncEffect] {
    fileprivate var begun: [UInt64] {
        compactMap { if case .write(.beginEviction(_, let attempt)) = $0 { attempt } else { nil } }
    }

    fileprivate var drops: [EvictionDrop] {
        compactMap { if case .write(.evict(let drop)) = $0 { drop } else { nil } }
    }

    fileprivate var ended: [EvictionRow] {
        compactMap { if case .write(.endEviction(let row)) = $0 { row } else { nil } }
    }

    fileprivate var requests: [SessionID: [RetentionRequest]] {
        reduce(into: [:]) { found, effect in
            if case .send(let id, .retentionRequest(let request)) = effect { found[id, default: []].append(request) }
        }
    }

    fileprivate var outcomes: [UInt64: EvictionOutcome] {
        reduce(into: [:]) { if case .evictionSettled(let id, let outcome) = $1 { $0[id] = outcome } }
    }

    fileprivate var holders: [UInt64: [HolderAnswer]] {
        reduce(into: [:]) { if case .holdersFound(let id, let answers) = $1 { $0[id] = answers } }
    }

    fileprivate var retained: [SessionID] {
        compactMap { if case .write(.retain(let id, _)) = $0 { id } else { nil } }
    }

    fileprivate var questions: [SessionID] {
        compactMap { if case .read(.holding(let id, _)) = $0 { id } else { nil } }
    }

    fileprivate func answers(to id: SessionID) -> [RetentionAnswer] {
        messages(to: Int(id)).compactMap { if case .retentionAnswer(let answer) = $0 { answer } else { nil } }
    }
}
