import TestSupport
import Testing
import Wire

@testable import Identity

@Suite struct IncarnationDecisionTests {
    private typealias Decision = IncarnationDecision
    private static let machine: [UInt8] = [7]

    private func incarnation(_ seed: UInt64 = 1) -> Incarnation {
        var generator = SeededGenerator(seed: seed)
        return Incarnation(using: &generator)
    }

    private func decide(
        hasKeys: Bool = true,
        store: Decision.StoreState,
        sentinel: Decision.SentinelState
    ) -> Decision {
        Decision.decide(hasKeys: hasKeys, store: store, sentinel: sentinel, machine: Self.machine)
    }

    private func store(_ commitNumber: UInt64 = 10) -> Decision.StoreState {
        .present(incarnation: incarnation(), commitNumber: commitNumber)
    }

    private func sentinel(
        _ commitNumber: UInt64 = 10,
        seed: UInt64 = 1,
        machine: [UInt8] = machine
    ) -> Decision.SentinelState {
        .present(Sentinel(incarnation: incarnation(seed), commitNumber: commitNumber, machine: machine))
    }

    @Test func `nothing at all is a first start`() {
        #expect(decide(hasKeys: false, store: .missing, sentinel: .missing) == .firstStart)
        #expect(decide(hasKeys: false, store: .missing, sentinel: sentinel()) == .firstStart)
    }

    @Test func `a store that is missing while keys exist is recovering, never empty`() {
        #expect(decide(store: .missing, sentinel: sentinel()) == .recovering(.missing))
        #expect(decide(store: .missing, sentinel: .missing) == .recovering(.missing))
    }

    @Test(arguments: [true, false])
    func `an unreadable store is recovering`(hasKeys: Bool) {
        #expect(decide(hasKeys: hasKeys, store: .unreadable, sentinel: sentinel()) == .recovering(.unreadable))
    }

    @Test func `a store without a loss continues`() {
        #expect(decide(store: store(10), sentinel: sentinel(10)) == .continue)
    }

    @Test func `a sentinel that lags behind after a crash is no reason to doubt`() {
        #expect(decide(store: store(10), sentinel: sentinel(9)) == .continue)
    }

    @Test func `every doubt begins a new incarnation`() {
        #expect(decide(store: store(), sentinel: .missing) == .renew(.sentinelMissing))
        #expect(decide(store: store(), sentinel: .damaged) == .renew(.sentinelDamaged))
        #expect(decide(store: store(), sentinel: sentinel(machine: [8])) == .renew(.otherMachine))
        #expect(decide(store: store(), sentinel: sentinel(seed: 2)) == .renew(.otherIncarnation))
        #expect(decide(store: store(10), sentinel: sentinel(11)) == .renew(.sentinelAhead(sentinel: 11, store: 10)))
        #expect(decide(hasKeys: false, store: store(), sentinel: sentinel()) == .renew(.keysMissing))
    }

    @Test func `a peer that holds more of me than I do ends the incarnation`() {
        #expect(Decision.afterPeerHead(size: 6, held: 5) == .renew(.behindPeer(proven: 6, held: 5)))
        #expect(Decision.afterPeerHead(size: 5, held: 5) == .continue)
        #expect(Decision.afterPeerHead(size: 0, held: 5) == .continue)
    }

    @Test func `a file's contents determine the state of the sentinel`() {
        #expect(Decision.SentinelState(bytes: nil) == .missing)
        #expect(Decision.SentinelState(bytes: []) == .damaged)
        #expect(Decision.SentinelState(bytes: Array("kairan-sentinel 2\n".utf8)) == .damaged)
        let sentinel = Sentinel(incarnation: incarnation(), commitNumber: 3, machine: Self.machine)
        #expect(Decision.SentinelState(bytes: sentinel.encoded) == .present(sentinel))
    }
}
