import Sync
import Testing
import Wire

@Suite struct `A question whether a port is open` {
    private let own = ProgramNote(version: "0.1.0")

    private func requests(_ effects: [SyncEffect]) -> [SessionID: UInt64] {
        effects.reduce(into: [:]) { if case .send(let id, .reachRequest(let request)) = $1 { $0[id] = request.number } }
    }

    private func answers(_ effects: [SyncEffect]) -> [ReachAnswer] {
        effects.compactMap { if case .send(_, .reachAnswer(let answer)) = $0 { answer } else { nil } }
    }

    private func probes(_ effects: [SyncEffect]) -> [SessionID] {
        effects.compactMap { if case .probe(let id, _) = $0 { id } else { nil } }
    }

    private func ask(_ number: UInt64) -> PeerMessage { .reachRequest(ReachRequest(number: number)) }

    @Test func `goes to the peers that know the message, and to each of them once a minute`() throws {
        var harness = CoreHarness(program: own)
        harness.open(2, isInitiator: false, remoteRevision: 1)
        harness.open(3, isInitiator: false)
        harness.open(4)
        harness.hear(4, .program(try #require(own)))
        let asked = requests(harness.feed(.reachAsked))
        #expect(asked.keys.sorted() == [2, 4], "3 would refuse the message")
        #expect(harness.core.awaitsReach)
        #expect(requests(harness.feed(.reachAsked)).isEmpty)
        harness.wait(59_999, hearing: [2, 3, 4])
        #expect(requests(harness.feed(.reachAsked)).isEmpty)
        harness.wait(1, hearing: [2, 3, 4])
        #expect(requests(harness.feed(.reachAsked)).keys.sorted() == [2, 4])
    }

    @Test func `is settled by the answer to it, and by no other`() throws {
        var harness = CoreHarness(program: own)
        harness.open(2, isInitiator: false, remoteRevision: 1)
        harness.hear(2, .reachAnswer(ReachAnswer(number: 1, outcome: .reached)))
        #expect(harness.core.reach(in: 2) == nil, "nobody has asked")
        let number = try #require(requests(harness.feed(.reachAsked))[2])
        harness.hear(2, .reachAnswer(ReachAnswer(number: number &+ 1, outcome: .reached)))
        #expect(harness.core.reach(in: 2) == nil && harness.core.awaitsReach)
        harness.hear(2, .reachAnswer(ReachAnswer(number: number, outcome: .silent)))
        #expect(harness.core.reach(in: 2) == .silent && !harness.core.awaitsReach)
        #expect(harness.core.reachAnsweredAt(in: 2) == harness.now)
        harness.hear(2, .reachAnswer(ReachAnswer(number: number, outcome: .reached)))
        #expect(harness.core.reach(in: 2) == .silent)
    }

    @Test
    func `is answered with the outcome of an attempt, which one device gets once a minute in all of its sessions`() {
        var harness = CoreHarness()
        harness.open(2)
        #expect(probes(harness.hear(2, ask(7))) == [2])
        #expect(
            answers(harness.feed(.reachProbed(2, number: 7, .refused))) == [ReachAnswer(number: 7, outcome: .refused)]
        )
        #expect(answers(harness.hear(2, ask(8))) == [ReachAnswer(number: 8, outcome: .notTried)])
        harness.feed(.closed(2))
        harness.open(2)
        let again = harness.hear(2, ask(9))
        #expect(probes(again).isEmpty && answers(again) == [ReachAnswer(number: 9, outcome: .notTried)])
        harness.wait(60_000, hearing: [2])
        #expect(probes(harness.hear(2, ask(10))) == [2])
    }

    @Test func `is not tried while another device is`() {
        var harness = CoreHarness()
        harness.open(2)
        harness.open(3)
        #expect(probes(harness.hear(2, ask(1))) == [2])
        #expect(answers(harness.hear(3, ask(1))) == [ReachAnswer(number: 1, outcome: .notTried)])
        #expect(answers(harness.feed(.reachProbed(3, number: 1, .reached))).isEmpty, "3 was not tried")
        harness.feed(.reachProbed(2, number: 1, .reached))
        #expect(probes(harness.hear(3, ask(2))) == [3])
    }

    @Test func `is ignored from an unknown device, and not answered on an ended session`() {
        var harness = CoreHarness()
        harness.open(7, standing: .unknown, heads: [Sample.hash(9)])
        let heard = harness.hear(7, ask(1))
        #expect(probes(heard).isEmpty && answers(heard).isEmpty)
        harness.open(2)
        harness.hear(2, ask(1))
        harness.feed(.closed(2))
        #expect(answers(harness.feed(.reachProbed(2, number: 1, .reached))).isEmpty)
        harness.open(3)
        #expect(probes(harness.hear(3, ask(1))) == [3], "the attempt is over")
    }
}
