import Identity
import Sync
import TestSupport
import Testing
import Wire

@Suite struct ZoneExchangeTests {
    @Test func `a zone that is not known here is made, and the peer learns that nothing of it is held`() {
        var harness = CoreHarness()
        harness.open(2)
        let effects = harness.hear(2, .zoneState(Sample.zoneState(5, [2: 3], wantsReply: true)))
        #expect(effects.contains { if case .write(.learn(2, Sample.zone(5), _)) = $0 { true } else { false } })
        #expect(effects.states(to: 2).map(\.logs) == [[]])
        // Once it is made, all other connected peers are informed of it, and asked about it.
        harness.open(3)
        let made = harness.feed(.zoneChanged(Sample.snapshot(5, [:]), before: [:]))
        #expect(made.states(to: 3).map(\.wantsReply) == [true])
        #expect(made.states(to: 2).isEmpty)
    }

    @Test func `a refused zone is dropped, and does not make the core spin`() {
        var harness = CoreHarness()
        harness.open(2)
        harness.hear(2, .zoneState(Sample.zoneState(5, [2: 3], wantsReply: true)))
        harness.feed(.zoneRefused(2, Sample.zone(5)))
        #expect(harness.wait(1_000).reads.isEmpty)
        harness.feed(.zoneChanged(Sample.snapshot([1: 3]), before: [:]))
        _ = harness.openInStep(3, theirs: [:])
        let refused = harness.feed(.zoneRefused(3, Sample.zone(0)))
        #expect(refused.reads.isEmpty)
        #expect(harness.feed(.runRead(3, Sample.log(1), Sample.run(1, from: 0, to: 3), byteCount: 9)).reads.isEmpty)
    }

    @Test func `another account's zone that could not be made is made when the peer speaks of it again`() {
        let genesis = ZoneGenesis(
            owner: AccountID(Digest32(word0: 7, word1: 0, word2: 0, word3: 0)),
            container: "org.example.notes",
            name: "shared",
            salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        let (zone, terms) = (ZoneID(genesis), ZoneTerms(genesis: genesis, tagKey: [UInt8](repeating: 1, count: 32)))
        let state = PeerMessage.zoneState(
            ZoneState(zone: zone, genesis: genesis, logs: [], checkpoint: .zero, wantsReply: true)
        )
        func joins(_ effects: [SyncEffect]) -> Int {
            effects.count { if case .write(.join(2, terms)) = $0 { true } else { false } }
        }
        var harness = CoreHarness()
        harness.open(2)
        #expect(joins(harness.hear(2, .zoneTerms(terms))) == 1)
        #expect(joins(harness.hear(2, state)) == 0)
        for _ in 0..<2 {
            harness.feed(.zoneRefused(2, zone))
            #expect(joins(harness.wait(1_000, hearing: [2])) == 0)
            #expect(joins(harness.hear(2, state)) == 1)
            #expect(joins(harness.hear(2, state)) == 0, "it is being made")
        }
    }

    /// The terms of a zone that another account made.
    private static func foreignTerms(_ name: String) -> ZoneTerms {
        let genesis = ZoneGenesis(
            owner: AccountID(Digest32(word0: 7, word1: 0, word2: 0, word3: 0)),
            container: "org.example.notes",
            name: name,
            salt: [UInt8](repeating: 7, count: ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        return ZoneTerms(genesis: genesis, tagKey: [UInt8](repeating: 1, count: 32))
    }

    @Test func `another account's zone that is not made, and that finds no place, waits for the next session`() {
        var limits = SyncLimits()
        limits.unmadeZoneCountMax = 1
        let (first, second) = (Self.foreignTerms("first"), Self.foreignTerms("second"))
        var harness = CoreHarness(limits: limits)
        func question(about terms: ZoneTerms) -> PeerMessage {
            .zoneState(
                ZoneState(
                    zone: ZoneID(terms.genesis),
                    genesis: terms.genesis,
                    logs: [],
                    checkpoint: .zero,
                    wantsReply: true
                )
            )
        }
        func isJoined(_ terms: ZoneTerms, _ effects: [SyncEffect]) -> Bool {
            effects.contains { if case .write(.join(2, terms)) = $0 { true } else { false } }
        }
        harness.open(2)
        for terms in [first, second] {
            #expect(isJoined(terms, harness.hear(2, .zoneTerms(terms))))
            harness.feed(.zoneRefused(2, ZoneID(terms.genesis)))
        }
        let passedOver = harness.hear(2, question(about: second))
        #expect(!isJoined(second, passedOver))
        #expect(passedOver.messages(to: 2).isEmpty, "no run of it could be taken")
        #expect(isJoined(first, harness.hear(2, question(about: first))))
        harness.feed(.closed(2))
        harness.open(2)
        #expect(isJoined(second, harness.hear(2, .zoneTerms(second))))
    }

    @Test func `a zone that both sides make at once is exchanged both ways`() {
        var harness = CoreHarness()
        harness.open(2)
        let made = harness.feed(.zoneChanged(Sample.snapshot([1: 1]), before: [:]))
        #expect(made.states(to: 2).map(\.wantsReply) == [true])
        let theirs = harness.hear(2, .zoneState(Sample.zoneState([2: 1], wantsReply: true)))
        #expect(theirs.states(to: 2).map(\.wantsReply) == [false])
        #expect(theirs.reads == [ReadOrder(session: 2, key: Sample.log(1), from: 0)])
        // The answer to our own question crosses the run.
        let answer = harness.hear(2, .zoneState(Sample.zoneState([2: 1])))
        #expect(answer.reads.isEmpty)
    }

    @Test func `a peer is asked about a zone once until it answers, however often the zone changes`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 1]), before: [:]))
        harness.open(2)
        var states = 0
        for size in 2...20 as ClosedRange<UInt64> {
            states +=
                harness.feed(.zoneChanged(Sample.snapshot([1: size]), before: [Sample.log(1): size - 1]))
                .states(to: 2).count
        }
        #expect(states == 1)
        #expect(harness.hear(2, .zoneState(Sample.zoneState([1: 4]))).reads.map(\.from) == [4])
    }

    @Test func `after a comparison an unmentioned zone is taken as equal, and a wrong guess is corrected`() throws {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        harness.open(2)
        harness.hear(2, .rangeDigests(RangeDigests(ranges: [])))
        let push = harness.feed(.zoneChanged(Sample.snapshot([1: 11]), before: [Sample.log(1): 10]))
        #expect(push.reads.map(\.from) == [10])
        try harness.read(push.reads.first, to: 11)
        let misplaced = harness.hear(2, .zoneState(Sample.zoneState([1: 2])))
        #expect(misplaced.reads.map(\.from) == [2])
    }

    @Test func `logs that a peer reports are saved as acknowledgements, as far as they are known here`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10, 3: 5]), before: [:]))
        let effects = harness.openInStep(2, theirs: [1: 4, 3: 99, 4: 7])
        #expect(effects.saved(of: 2) == [Sample.log(1): 4, Sample.log(3): 5])
    }

    @Test func `a log of which a peer reports one operation is saved as well`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10, 3: 1]), before: [:]))
        let effects = harness.openInStep(2, theirs: [1: 1, 3: 1])
        #expect(effects.saved(of: 2) == [Sample.log(1): 1, Sample.log(3): 1])
    }

    @Test func `a head of our own log is verified although nothing of that log is left here`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([3: 5]), before: [:]))
        _ = harness.openInStep(2, theirs: [1: 1, 3: 5])
        #expect(harness.hear(2, .run(Sample.run(1, from: 0, to: 1))).foundBehind)
    }

    @Test func `a head of our own log beyond its end is verified, and no size ends an incarnation`() throws {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        var sizes = harness.openInStep(2, theirs: [1: 10])
        sizes += harness.hear(2, .zoneState(Sample.zoneState([1: 11], wantsReply: true)))
        sizes += harness.hear(2, .zoneState(Sample.zoneState([1: 11])))
        sizes += harness.hear(2, Sample.acknowledge(1, size: 12))
        sizes += harness.feed(.mailed(Sample.delivery(of: 2, [Sample.acknowledge(1, size: 12)])))
        #expect(sizes.foundBehind == false)
        let run = PeerMessage.run(Sample.run(1, from: 10, to: 12))
        #expect(harness.hear(2, run).foundBehind)
        #expect(harness.feed(.mailed(Sample.delivery(of: 2, [run]))).foundBehind)
        harness.core.incarnationChanged(try #require(Incarnation([UInt8](repeating: 2, count: 16))))
        #expect(harness.hear(2, .run(Sample.run(1, from: 12, to: 13))).foundBehind == false)
    }

    @Test func `a peer that states less of its own log than is held here gets the newest head, once for each size`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 4, 2: 10]), before: [:]))
        harness.open(2)
        let behind = PeerMessage.zoneState(Sample.zoneState([1: 4, 2: 6], wantsReply: true))
        #expect(harness.hear(2, behind).skeletons == [Sample.log(2)])
        #expect(harness.hear(2, behind).skeletons.isEmpty)
        // The logs of others follow by runs.
        harness.open(3)
        #expect(harness.hear(3, behind).skeletons.isEmpty)
    }

    @Test func `a peer that states more of our own log learns its size here, and so sends the rest`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        harness.open(2)
        let question = Sample.zoneState([1: 11], wantsReply: true)
        let sizes = harness.hear(2, .zoneState(question)).states(to: 2).flatMap(\.logs).map(\.size)
        #expect(sizes == [10])
    }

    @Test func `a peer with another history of our own log acknowledges nothing of it`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10, 3: 5]), before: [:]))
        let told = harness.openInStep(2, theirs: [1: 11, 3: 5])
        #expect(told.saved(of: 2) == [Sample.log(3): 5])
        #expect(harness.hear(2, Sample.acknowledge(1, size: 12)).saved(of: 2).isEmpty)
        #expect(harness.hear(2, Sample.acknowledge(3, size: 12)).saved(of: 2) == [Sample.log(3): 5])
    }

    @Test func `a store that is ahead of the core is not taken for one that is behind`() throws {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        let effects = harness.openInStep(2, theirs: [1: 4])
        // The read sees a commit of which the core is notified a moment later.
        try harness.read(effects.reads.first, to: 12)
        #expect(harness.hear(2, .run(Sample.run(1, from: 10, to: 12))).foundBehind == false)
    }

    @Test func `two histories of one size lead to a look at the hashes of our log, once`() throws {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 1, 4: 7]), before: [:]))
        harness.open(2)
        let other = PeerMessage.zoneState(Sample.zoneState([1: 1, 4: 7], wantsReply: true, root: 1))
        let effects = harness.hear(2, other)
        #expect(effects.skeletons == [Sample.log(4)])
        #expect(harness.show(2, 4, size: 7).runs(to: 2) == [7])
        #expect(harness.hear(2, other).skeletons.isEmpty)
        // Once a fork is proven, a log that still contradicts is another fork.
        harness.hear(2, .forkProof(ForkProof(Sample.signedHead(4, size: 5), Sample.signedHead(4, size: 6))))
        #expect(harness.hear(2, other).skeletons == [Sample.log(4)])
    }

    // MARK: Hostile peers

    private let absurd = Limits.counterMax

    @Test func `absurd sizes do not trap, and stop nothing for longer than they are claimed`() throws {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        _ = harness.openInStep(2, theirs: [1: absurd, 3: absurd])
        harness.hear(2, Sample.acknowledge(1, size: absurd))
        harness.hear(2, Sample.acknowledge(3, size: absurd))
        harness.feed(.zoneChanged(Sample.snapshot([1: 11]), before: [Sample.log(1): 10]))
        // As soon as it reports the truth it is sent the operations that it lacks.
        #expect(harness.hear(2, .zoneState(Sample.zoneState([1: 3]))).reads.map(\.from) == [3])
        // Others are not concerned.
        #expect(harness.openInStep(3, theirs: [1: 3]).reads.map(\.from) == [3])
    }

    @Test func `absurd sizes are neither saved nor reported`() {
        var harness = CoreHarness()
        harness.feed(.zoneChanged(Sample.snapshot([4: 10]), before: [:]))
        var effects = harness.openInStep(2, theirs: [:])
        effects += harness.hear(2, Sample.acknowledge(4, size: absurd))
        effects += harness.hear(2, Sample.acknowledge(3, size: absurd))
        #expect(effects.saved(of: 2) == [Sample.log(4): 10])
        #expect(effects.reports == [.exported(zone: Sample.zone(0), peer: Sample.device(2), count: 10)])
    }

    @Test func `acknowledgements for unknown zones and logs change nothing`() {
        var harness = CoreHarness()
        harness.open(2)
        #expect(harness.hear(2, Sample.acknowledge(1, zone: 7, size: 5)).isEmpty)
        harness.feed(.zoneChanged(Sample.snapshot([1: 10]), before: [:]))
        _ = harness.openInStep(2, theirs: [1: 10])
        #expect(harness.hear(2, Sample.acknowledge(77, size: 5)).isEmpty)
        #expect(harness.hear(2, Sample.acknowledge(1, size: 0)).isEmpty)
    }

    @Test func `no sequence of messages makes the core trap, spin or sleep for ever`() {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var harness = CoreHarness()
            harness.feed(.zoneChanged(Sample.snapshot([1: 10, 3: 4]), before: [:]))
            harness.open(2)
            for _ in 0..<60 {
                harness.now += UInt64.random(in: 0...3_000, using: &random)
                let effects = harness.feed(
                    .received(2, message(&random), byteCount: Int.random(in: 0...9, using: &random))
                )
                for read in effects.reads {
                    let size = UInt64.random(in: 0...12, using: &random)
                    let author = [1, 3].first { Sample.log($0) == read.key }
                    let isFound = Bool.random(using: &random)
                    let run = isFound ? author.map { Sample.run($0, from: read.from, to: size) } : nil
                    harness.feed(.runRead(2, read.key, run, byteCount: 100))
                }
                for key in effects.appliedKeys {
                    let outcomes: [RunOutcome] = [
                        .durable(size: absurd, operations: .max), .misplaced, .unwanted(size: 3), .contradiction,
                        .storageFull, .storageFailed,
                    ]
                    harness.feed(.runApplied(2, key, outcomes.randomElement(using: &random) ?? .misplaced))
                }
                if harness.core.isActive(2) { #expect(harness.core.nextDeadline != nil, "seed \(seed)") }
            }
            // Despite its earlier claim, a peer that reports the truth in a new session is served.
            harness.feed(.closed(2))
            let effects = harness.openInStep(2, theirs: [1: 3, 3: 4])
            #expect(effects.reads.map(\.from) == [3], "seed \(seed)")
        }
    }

    private func message(_ random: inout SeededGenerator) -> PeerMessage {
        let sizes: [UInt64] = [0, 1, 5, 10, absurd - 1, absurd]
        let size = sizes.randomElement(using: &random) ?? 0
        let device = Int.random(in: 1...5, using: &random)
        let zone = Int.random(in: 0...2, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            return .zoneState(Sample.zoneState(zone, [device: size], wantsReply: Bool.random(using: &random)))
        case 2, 3: return Sample.acknowledge(device, zone: zone, size: size)
        case 4: return .run(Sample.run(device, zone: zone, from: size, to: sizes.randomElement(using: &random) ?? 0))
        case 5: return .pause(Pause(reason: .busy))
        case 6: return .resume
        case 7: return .rangeDigests(RangeDigests(ranges: []))
        case 8:
            let digest = RangeDigest(
                prefix: .empty,
                itemCount: UInt32.random(in: 0 ... .max, using: &random),
                digest: .zero
            )
            return .rangeDigests(RangeDigests(ranges: [digest]))
        default:
            let item = RangeItem(zone: Sample.hash(size), state: .zero)
            let range = ItemRange(prefix: .empty, items: Bool.random(using: &random) ? [item] : [])
            return .rangeItems(RangeItems(ranges: [range], isReply: Bool.random(using: &random)))
        }
    }
}
