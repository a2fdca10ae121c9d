import Sync
import Testing
import Wire

@Suite struct RunExchangeTests {
    private func harness(_ limits: SyncLimits = SyncLimits(), own: UInt64 = 10) -> CoreHarness {
        var harness = CoreHarness(limits: limits)
        harness.feed(.zoneChanged(Sample.snapshot([1: own]), before: [:]))
        return harness
    }

    @Test func `runs that the peer lacks are read, sent and released by its acknowledgement`() throws {
        var harness = harness()
        let effects = harness.openInStep(2, theirs: [1: 4])
        #expect(effects.reads == [ReadOrder(session: 2, key: Sample.log(1), from: 4)])
        let sent = try harness.read(effects.reads.first, to: 10)
        #expect(sent.runs(to: 2) == [10])
        #expect(sent.reads.isEmpty)
        let done = harness.hear(2, Sample.acknowledge(1, size: 10))
        #expect(done.saved(of: 2) == [Sample.log(1): 10])
        #expect(done.reports == [.exported(zone: Sample.zone(0), peer: Sample.device(2), count: 6)])
    }

    @Test func `the outcome of a run is not reported after the end of its session`() {
        for outcome in [RunOutcome.misplaced, .storageFull, .unwanted(size: 3), .contradiction] {
            var harness = harness()
            _ = harness.openInStep(2, theirs: [1: 10])
            harness.feed(.closed(2))
            let effects = harness.feed(.runApplied(2, Sample.log(3), outcome))
            #expect(effects.isEmpty, "\(outcome)")
        }
    }

    @Test func `a write of this node is pushed at once, that of another after a moment`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        let own = harness.feed(.zoneChanged(Sample.snapshot([1: 11]), before: [Sample.log(1): 10]))
        #expect(own.reads == [ReadOrder(session: 2, key: Sample.log(1), from: 10)])
        let other = harness.feed(.zoneChanged(Sample.snapshot([1: 11, 3: 5]), before: [Sample.log(3): 0]))
        #expect(other.reads.isEmpty)
        #expect(harness.wait(59).reads.isEmpty)
        #expect(harness.wait(1).reads == [ReadOrder(session: 2, key: Sample.log(3), from: 0)])
    }

    @Test func `an acknowledgement that arrives in time saves the forwarding`() {
        for size in [5, 7] as [UInt64] {
            var harness = harness()
            _ = harness.openInStep(2, theirs: [1: 10])
            harness.feed(.zoneChanged(Sample.snapshot([1: 10, 3: 5]), before: [Sample.log(3): 0]))
            harness.hear(2, Sample.acknowledge(3, size: size))
            #expect(harness.wait(5_000).reads.isEmpty)
        }
    }

    @Test func `an acknowledgement that arrives before we have the run ourselves also saves the forwarding`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        let early = harness.hear(2, Sample.acknowledge(3, size: 5))
        #expect(early.saved(of: 2).isEmpty, "it is not noted as held what we do not know")
        harness.feed(.zoneChanged(Sample.snapshot([1: 10, 3: 5]), before: [Sample.log(3): 0]))
        #expect(harness.wait(5_000).reads.isEmpty)
    }

    @Test func `no more is on its way than the window allows, and acknowledgements open it again`() throws {
        var limits = SyncLimits()
        limits.windowByteCount = 1_000
        limits.runByteCount = 400
        var harness = CoreHarness(limits: limits)
        for zone in 0..<6 { harness.feed(.zoneChanged(Sample.snapshot(zone, [1: 1]), before: [:])) }
        harness.open(2)
        var reads: [ReadOrder] = []
        for zone in 0..<6 { reads += harness.hear(2, .zoneState(Sample.zoneState(zone, [:]))).reads }
        #expect(reads.count == limits.readAheadCount)
        var sent = 0
        while !reads.isEmpty {
            reads += try harness.read(reads.removeFirst(), to: 1, byteCount: 400).reads
            sent += 1
        }
        #expect(sent == 3)
        let next =
            harness.hear(2, Sample.acknowledge(1, zone: 0, size: 1)).reads
            + harness.hear(2, Sample.acknowledge(1, zone: 1, size: 1)).reads
        #expect(!next.isEmpty)
    }

    @Test func `a run larger than the window is sent when nothing else is on its way`() throws {
        var limits = SyncLimits()
        limits.windowByteCount = 1_000
        var harness = harness(limits)
        let effects = harness.openInStep(2, theirs: [:])
        #expect(try harness.read(effects.reads.first, to: 10, byteCount: 50_000).runs(to: 2) == [10])
    }

    @Test func `a paused peer is left alone until it resumes or the pause has lasted`() {
        for resumes in [true, false] {
            var harness = harness()
            _ = harness.openInStep(2, theirs: [1: 10])
            harness.hear(2, .pause(Pause(reason: .diskFull)))
            #expect(harness.feed(.zoneChanged(Sample.snapshot([1: 11]), before: [Sample.log(1): 10])).reads.isEmpty)
            #expect(harness.wait(14_000, hearing: [2]).reads.isEmpty)
            if resumes {
                #expect(harness.hear(2, .resume).reads.count == 1)
            } else {
                #expect(harness.wait(1_000, hearing: [2]).reads.count == 1)
            }
        }
    }

    @Test func `a full disk pauses the peer, reports our sizes, and resumes when a run is stored again`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(2, from: 0, to: 5)))
        let full = harness.feed(.runApplied(2, Sample.log(2), .storageFull))
        #expect(full.messages(to: 2).map(\.tag) == [10, 5])
        harness.hear(2, .run(Sample.run(2, from: 0, to: 5)))
        let kept = harness.feed(.runApplied(2, Sample.log(2), .durable(size: 5, operations: 5)))
        #expect(kept.messages(to: 2).map(\.tag) == [7, 11])
    }

    @Test(arguments: [1, 5] as [UInt64])
    func `a run is acknowledged to all peers when it is durable, and reported`(size: UInt64) {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        _ = harness.openInStep(3, theirs: [1: 10])
        harness.open(9, standing: .unknown)
        #expect(harness.hear(2, .run(Sample.run(2, from: 0, to: size))).appliedKeys == [Sample.log(2)])
        let effects = harness.feed(.runApplied(2, Sample.log(2), .durable(size: size, operations: size)))
        let log = AcknowledgedLog(actor: Sample.actor(2), lane: .data, size: size)
        #expect(effects.acknowledgements(to: 2) == [log])
        #expect(effects.acknowledgements(to: 3) == [log])
        #expect(effects.acknowledgements(to: 9).isEmpty)
        #expect(effects.reports == [.imported(zone: Sample.zone(0), peer: Sample.device(2), count: size)])
    }

    @Test func `a run that became durable after its session ended is acknowledged to the others`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        _ = harness.openInStep(3, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(2, from: 0, to: 5)))
        harness.feed(.closed(2))
        let effects = harness.feed(.runApplied(2, Sample.log(2), .durable(size: 5, operations: 5)))
        #expect(effects.acknowledgements(to: 3).map(\.size) == [5])
        #expect(effects.messages(to: 2).isEmpty)
    }

    @Test func `a run is not sent back to the peer that it came from`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(2, from: 0, to: 5)))
        harness.feed(.zoneChanged(Sample.snapshot([1: 10, 2: 5]), before: [Sample.log(2): 0]))
        harness.feed(.runApplied(2, Sample.log(2), .durable(size: 5, operations: 5)))
        #expect(harness.wait(5_000).reads.isEmpty)
    }

    @Test func `a run that was repeated is answered to its sender alone`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        _ = harness.openInStep(3, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(1, from: 0, to: 5)))
        let effects = harness.feed(.runApplied(2, Sample.log(1), .durable(size: 10, operations: 0)))
        #expect(effects.acknowledgements(to: 2).map(\.size) == [10])
        #expect(effects.messages(to: 3).isEmpty)
    }

    @Test func `runs that do not fit are answered with our state, once for each place`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        var states: [Wire.ZoneState] = []
        for from in [5, 6, 7] as [UInt64] {
            harness.hear(2, .run(Sample.run(2, from: from, to: from + 1)))
            states += harness.feed(.runApplied(2, Sample.log(2), .misplaced)).states(to: 2)
        }
        #expect(states.count == 1)
        #expect(states.first?.wantsReply == false)
        // Once one has fitted, the next misplaced one is answered again.
        harness.feed(.runApplied(2, Sample.log(2), .durable(size: 5, operations: 5)))
        #expect(harness.feed(.runApplied(2, Sample.log(2), .misplaced)).states(to: 2).count == 1)
    }

    @Test func `when a run did not fit it is sent again from where the peer is`() throws {
        var harness = harness()
        let effects = harness.openInStep(2, theirs: [1: 8])
        try harness.read(effects.reads.first, to: 10)
        let again = harness.hear(2, .zoneState(Sample.zoneState([1: 3])))
        #expect(again.reads == [ReadOrder(session: 2, key: Sample.log(1), from: 3)])
    }

    @Test func `a question about a zone does not resend runs under way`() throws {
        var harness = harness()
        let effects = harness.openInStep(2, theirs: [1: 8])
        try harness.read(effects.reads.first, to: 10)
        let asked = harness.hear(2, .zoneState(Sample.zoneState([1: 8], wantsReply: true)))
        #expect(asked.reads.isEmpty)
        #expect(asked.states(to: 2).map(\.wantsReply) == [false])
    }

    @Test func `a run read for a place that is no longer the peer's is dropped, and the right one is read`() throws {
        var harness = harness()
        let effects = harness.openInStep(2, theirs: [1: 2])
        harness.hear(2, Sample.acknowledge(1, size: 6))
        let late = try harness.read(effects.reads.first, to: 10)
        #expect(late.runs(to: 2).isEmpty)
        #expect(late.reads == [ReadOrder(session: 2, key: Sample.log(1), from: 6)])
    }

    @Test func `an empty read ends the matter until the log changes`() {
        var harness = harness()
        let effects = harness.openInStep(2, theirs: [1: 2])
        #expect(effects.reads.count == 1)
        #expect(harness.feed(.runRead(2, Sample.log(1), nil, byteCount: 0)).reads.isEmpty)
        #expect(harness.wait(1_000).reads.isEmpty)
        let change = harness.feed(.zoneChanged(Sample.snapshot([1: 11]), before: [Sample.log(1): 10]))
        #expect(change.reads == [ReadOrder(session: 2, key: Sample.log(1), from: 2)])
    }

    @Test func `a run that breaks the protocol closes its session`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(2, from: 0, to: 5)))
        harness.hear(2, .run(Sample.run(2, from: 5, to: 6)))
        let effects = harness.feed(.runApplied(2, Sample.log(2), .violation("bad")))
        #expect(effects.closed == [2: .violation])
        #expect(
            effects.anomalies == [
                Anomaly(
                    .violation,
                    peer: Sample.device(2),
                    account: Sample.account,
                    zone: Sample.log(2).zone,
                    detail: "bad"
                )
            ]
        )
        // The outcome of the run behind it comes after the end.
        #expect(harness.feed(.runApplied(2, Sample.log(2), .violation("bad"))).isEmpty)
    }

    @Test func `a peer that passes on a broken log stays connected, the log's author does not`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        _ = harness.openInStep(3, theirs: [1: 10])
        for peer in [2, 3] { harness.hear(peer, .run(Sample.run(2, from: 0, to: 5))) }
        let broken = RunOutcome.brokenLog(by: Sample.device(2), "bad")
        let passedOn = harness.feed(.runApplied(3, Sample.log(2), broken))
        #expect(passedOn.closed.isEmpty)
        #expect(passedOn.states(to: 3).count == 1)
        #expect(passedOn.acknowledgements(to: 3).isEmpty, "it is not held")
        let signed = harness.feed(.runApplied(2, Sample.log(2), broken))
        #expect(signed.closed == [2: .violation])
        let told = (passedOn + signed).anomalies
        #expect(told.map(\.kind) == [.brokenLog, .brokenLog])
        #expect(told.map(\.author) == [Sample.device(2), Sample.device(2)])
        #expect(told.map(\.peer) == [Sample.device(3), Sample.device(2)])
    }

    @Test func `a peer that ignores the window is closed, one that fills it with large runs is not`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        // An honest sender: nearly a window, then two runs read ahead that turn out to be as large as any may be.
        var closed: [SessionID: SyncCloseCode] = [:]
        for _ in 0..<7 {
            closed.merge(harness.hear(2, .run(Sample.run(2, from: 0, to: 5)), byteCount: 1 << 20).closed) { $1 }
        }
        for _ in 0..<2 {
            closed.merge(harness.hear(2, .run(Sample.run(2, from: 0, to: 5)), byteCount: 16 << 20).closed) { $1 }
        }
        #expect(closed.isEmpty)
        for _ in 0..<10 {
            closed.merge(harness.hear(2, .run(Sample.run(2, from: 0, to: 5)), byteCount: 16 << 20).closed) { $1 }
        }
        #expect(closed == [2: .violation])
    }

    @Test func `an unwanted run frees the window, and is not resent at the next comparison`() throws {
        var harness = harness()
        let effects = harness.openInStep(2, theirs: [1: 8])
        try harness.read(effects.reads.first, to: 10)
        harness.hear(2, Sample.acknowledge(1, size: 10))
        let told = harness.hear(2, .zoneState(Sample.zoneState([1: 8], wantsReply: true)))
        #expect(told.reads.isEmpty)
        // A new operation is tried, and the old ones again after a long time.
        let change = harness.feed(.zoneChanged(Sample.snapshot([1: 11]), before: [Sample.log(1): 10]))
        try harness.read(change.reads.first, to: 11)
        harness.wait(600_000, hearing: [2])
        #expect(harness.hear(2, .zoneState(Sample.zoneState([1: 8]))).reads.map(\.from) == [8])
    }

    @Test func `an unwanted run is answered to its sender`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        _ = harness.openInStep(3, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(2, from: 0, to: 5)))
        let effects = harness.feed(.runApplied(2, Sample.log(2), .unwanted(size: 5)))
        #expect(effects.acknowledgements(to: 2).map(\.size) == [5])
        #expect(effects.messages(to: 3).isEmpty)
    }

    @Test func `a fork proof is sent to all peers, and the run that led to it is answered`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        _ = harness.openInStep(3, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(4, from: 0, to: 5)))
        let proof = ForkProof(Sample.signedHead(4, size: 5), Sample.signedHead(4, size: 6))
        let effects = harness.feed(.runApplied(2, Sample.log(4), .fork(proof)))
        #expect(effects.messages(to: 2).map(\.tag) == [12, 7])
        #expect(effects.messages(to: 3).map(\.tag) == [12])
        let heard = harness.hear(3, .forkProof(proof))
        #expect(heard.contains { if case .write(.record(proof)) = $0 { true } else { false } })
    }

    @Test func `a run of another history of a log we hold is countered with the hashes of our own`() throws {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        harness.feed(.zoneChanged(Sample.snapshot([1: 10, 4: 7]), before: [:]))
        harness.hear(2, .run(Sample.run(4, from: 7, to: 9)))
        let effects = harness.feed(.runApplied(2, Sample.log(4), .contradiction))
        #expect(effects.closed.isEmpty)
        #expect(effects.acknowledgements(to: 2).isEmpty, "it is not held")
        #expect(effects.skeletons == [Sample.log(4)])
        #expect(harness.show(2, 4, size: 7).runs(to: 2) == [7])
        // Once is enough.
        harness.hear(2, .run(Sample.run(4, from: 7, to: 9)))
        #expect(harness.feed(.runApplied(2, Sample.log(4), .contradiction)).skeletons.isEmpty)
    }

    @Test func `a run behind a fork is answered with the proof, to its sender alone`() {
        var harness = harness()
        _ = harness.openInStep(2, theirs: [1: 10])
        _ = harness.openInStep(3, theirs: [1: 10])
        harness.hear(2, .run(Sample.run(4, from: 0, to: 5)))
        let proof = ForkProof(Sample.signedHead(4, size: 5), Sample.signedHead(4, size: 6))
        let effects = harness.feed(.runApplied(2, Sample.log(4), .forkKnown(proof, size: 5)))
        #expect(effects.messages(to: 2).contains(.forkProof(proof)))
        #expect(!effects.messages(to: 3).contains(.forkProof(proof)))
        #expect(!effects.acknowledgements(to: 2).isEmpty)
    }

    @Test func `a peer that gets a zone's state also gets its fork proofs`() {
        var harness = harness()
        let proof = ForkProof(Sample.signedHead(4, size: 5), Sample.signedHead(4, size: 6))
        let plain = Sample.snapshot([1: 10])
        let forked = ZoneSnapshot(
            zone: plain.zone,
            genesis: plain.genesis,
            logs: plain.logs,
            checkpoint: .zero,
            forks: [Sample.log(4): proof]
        )
        #expect(forked.state != plain.state)
        harness.feed(.zoneChanged(forked, before: [:]))
        harness.open(2)
        let effects = harness.hear(2, .zoneState(Sample.zoneState([1: 10], wantsReply: true)))
        #expect(effects.messages(to: 2).contains(.forkProof(proof)))
    }
}
