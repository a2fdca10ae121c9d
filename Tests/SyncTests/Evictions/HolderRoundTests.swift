import TestSupport
import Testing
import Wire

@testable import Sync

/// The core's own questions which devices hold contents.
@Suite struct `A round of questions about contents` {
    private static let zone = Sample.zone(0)

    private static func payload(_ number: UInt64) -> PayloadID { PayloadID(Sample.hash(number).digest) }

    /// A core that holds zone 0, with sessions of some devices, which know the messages.
    private func harness(_ devices: [Int], limits: SyncLimits = SyncLimits()) -> CoreHarness {
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        for device in devices { harness.open(device, remoteRevision: 1) }
        return harness
    }

    private func finding(
        _ numbers: [UInt64],
        zone: ZoneID = Self.zone,
        next: HolderSearch.Place? = nil
    ) -> HolderFinding {
        let contents = numbers.map { HolderFinding.Content(payload: Self.payload($0), zones: [zone]) }
        return HolderFinding(contents: contents, next: next)
    }

    private func request(_ numbers: [UInt64]) -> RetentionRequest {
        RetentionRequest(zone: Self.zone, asksForPromises: false, payloads: numbers.map { Self.payload($0) })
    }

    private func search(_ device: Int, _ place: HolderSearch.Place = .unstated(after: 0)) -> HolderSearch {
        HolderSearch(device: Sample.device(device), place: place)
    }

    @Test func `begins a minute after a session, and asks about the contents that the store finds`() {
        var harness = harness([2])
        #expect(harness.wait(59_999, hearing: [2]).searches.isEmpty)
        #expect(harness.wait(1, hearing: [2]).searches == [2: [search(2)]])
        let asked = harness.feed(.holdersSearched(2, finding([1, 2], next: .overdue(after: nil))))
        #expect(asked.questions == [2: [request([1, 2])]] && asked.searches.isEmpty)
        let answer = RetentionAnswer(to: request([1, 2]), .held)
        let noted = harness.hear(2, .retentionAnswer(answer))
        #expect(noted.notes == [answer])
        // The next search keeps the pace.
        #expect(harness.wait(100, hearing: [2]).searches == [2: [search(2, .overdue(after: nil))]])
    }

    @Test func `is followed by a rest, which doubles up to an hour while nothing is found`() {
        var harness = harness([2])
        _ = harness.wait(60_000, hearing: [2])
        for minutes in [10, 20, 40, 60, 60] as [UInt64] {
            _ = harness.feed(.holdersSearched(2, HolderFinding()))
            #expect(harness.wait(minutes * 60_000 - 1, hearing: [2]).searches.isEmpty, "\(minutes)")
            #expect(harness.wait(1, hearing: [2]).searches == [2: [search(2)]], "\(minutes)")
        }
        _ = harness.feed(.holdersSearched(2, finding([1])))
        _ = harness.hear(2, .retentionAnswer(RetentionAnswer(to: request([1]), .absent)))
        #expect(harness.wait(11 * 60_000, hearing: [2]).searches.count == 1)
    }

    @Test func `asks one device about a bounded number of contents in a minute, one request at a time`() {
        var harness = harness([2])
        _ = harness.wait(60_000, hearing: [2])
        var (count, number): (Int, UInt64) = (0, 0)
        let end = harness.now + 60_000
        var effects = harness.feed(.holdersSearched(2, finding(Array(0..<64), next: .unstated(after: 1))))
        while harness.now < end {
            for request in effects.questions[2] ?? [] {
                count += request.payloads.count
                #expect(harness.core.evictionLoad.asked == 1)
                effects = harness.hear(2, .retentionAnswer(RetentionAnswer(to: request, .held)))
            }
            if effects.searches[2] != nil {
                number += 64
                effects = harness.feed(
                    .holdersSearched(2, finding(Array(number..<number + 64), next: .unstated(after: number)))
                )
            } else {
                effects = harness.wait(100, hearing: [2])
            }
        }
        #expect((1_800...2_048).contains(count), "\(count)")
    }

    @Test func `asks each device of the account whose program knows the question, and no other one`() {
        var harness = harness([2, 3])
        harness.open(4)
        harness.open(5, account: Sample.foreign, remoteRevision: 1)
        #expect(harness.wait(61_000, hearing: [2, 3, 4, 5]).searches == [2: [search(2)], 3: [search(3)]])
        // The statements of a device of another account are not remembered.
        let question = HolderQuestion(id: 5, payload: Self.payload(1), zones: [Self.zone])
        _ = harness.feed(.holdersAsked(question))
        let answer = RetentionAnswer(to: request([1]), .held)
        #expect(harness.hear(5, .retentionAnswer(answer)).notes.isEmpty)
        #expect(harness.hear(2, .retentionAnswer(answer)).notes == [answer])
        #expect(harness.hear(2, .retentionAnswer(answer)).notes.isEmpty, "it was not asked for")
    }

    @Test func `ends when the device does not answer, and with its session`() {
        var harness = harness([2])
        _ = harness.wait(60_000, hearing: [2])
        #expect(harness.feed(.holdersSearched(2, finding([1]))).questions.count == 1)
        #expect(harness.wait(9 * 60_000, hearing: [2]).searches.isEmpty)
        #expect(harness.wait(2 * 60_000, hearing: [2]).searches == [2: [search(2)]])
        _ = harness.feed(.closed(2))
        #expect(harness.feed(.holdersSearched(2, finding([1]))).questions.isEmpty)
        #expect(harness.core.evictionLoad.asked == 0)
        #expect(harness.wait(3_600_000).searches.isEmpty, "without a session nothing is done")
    }

    @Test func `leaves out contents of zones that the device may not read`() {
        var harness = harness([2])
        _ = harness.wait(60_000, hearing: [2])
        let elsewhere = finding([1], zone: Sample.zone(5), next: .overdue(after: nil))
        let effects = harness.feed(.holdersSearched(2, elsewhere))
        #expect(effects.questions.isEmpty && effects.searches == [2: [search(2, .overdue(after: nil))]])
    }

    @Test func `is never begun where a device does not ask by itself`() {
        var limits = SyncLimits()
        limits.holderDelayMilliseconds = nil
        var harness = harness([2], limits: limits)
        #expect(harness.wait(3_600_000, hearing: [2]).searches.isEmpty)
    }
}

extension [SyncEffect] {
    fileprivate var searches: [SessionID: [HolderSearch]] {
        reduce(into: [:]) { found, effect in
            if case .read(.holders(let id, let search)) = effect { found[id, default: []].append(search) }
        }
    }

    fileprivate var questions: [SessionID: [RetentionRequest]] {
        reduce(into: [:]) { found, effect in
            if case .send(let id, .retentionRequest(let request)) = effect { found[id, default: []].append(request) }
        }
    }

    fileprivate var notes: [RetentionAnswer] {
        compactMap { if case .write(.noteHolders(let answer, _)) = $0 { answer } else { nil } }
    }
}
