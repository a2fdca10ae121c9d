import Identity
import Records
import Sync
import Testing
import Wire

@testable import Simulator

@Suite struct ForgettingTests {
    /// A store with two states of a record, the older one of which is pruned, and a judge that saw both being
    /// written.
    private struct History {
        let judge = Judge()
        var store: MemoryStore
        let zone: ZoneID
        let key: LogKey

        init() throws {
            let (simulation, zone) = try HandMadeWorld.running(1)
            let node = simulation.nodes[0]
            for value in 1...2 {
                try node.submit(HandMadeWorld.write(Int64(value)), zone: zone)
                try simulation.run(until: simulation.now + 100)
            }
            self.zone = zone
            store = try #require(node.store)
            key = try #require(try store.logs(zone: zone).first { $0.key.lane == .data }?.key)
            let past = judge.evidence.library.addPast([:])
            var gaps: [SubtreeGap] = []
            for item in try store.items(key, from: 0, to: .max) {
                guard case .operation(let stored) = item.content else { continue }
                let place = OperationLibrary.Place(key: key, counter: item.first + 1)
                _ = judge.evidence.library.add(stored.operation, at: place, past: past)
                gaps.append(SubtreeGap(level: 0, index: item.first, hash: stored.operation.header.leafHash))
            }
            #expect(gaps.count == 2)
            try store.replace(key, first: [0], with: [gaps[0]])
        }

        func checkpoint(_ size: UInt64) -> Checkpoint {
            let position = LogPosition(actor: key.actor, lane: .data, size: size, root: .zero)
            return Checkpoint(logs: [position], liveRoot: .zero, liveCount: 1, lapsed: [], previous: .zero)
        }

        func check(adopted: UInt64?, candidates: [UInt64]) throws {
            var row = try #require(try store.zone(zone))
            row.adopted = adopted.map { checkpoint($0) }
            row.candidates = candidates.map { checkpoint($0) }
            let log = try #require(try store.log(key))
            let look = StoreLook(node: 0, device: log.device, time: 0, store: store, account: nil)
            let items = try store.items(key, from: 0, to: log.size)
            try judge.forgetting.checkForgotten(zone: row, row: log, items: items, look)
        }
    }

    @Test func `operations that a checkpoint covers with their successors may be pruned, adopted or not`() throws {
        let history = try History()
        try history.check(adopted: 2, candidates: [])
        try history.check(adopted: nil, candidates: [2])
        // The adopted one covers the older state alone; the later one, known from others, its successor too.
        try history.check(adopted: 1, candidates: [2])
    }

    @Test func `operations that no known checkpoint releases must not be pruned`() throws {
        let history = try History()
        #expect(throws: Violation.self) { try history.check(adopted: nil, candidates: []) }
        #expect(throws: Violation.self) { try history.check(adopted: 1, candidates: []) }
        #expect(throws: Violation.self) { try history.check(adopted: nil, candidates: [1]) }
    }

    @Test func `a checkpoint covers operations that no member lacks, and those that an earlier one covers`() throws {
        let (simulation, zone) = try HandMadeWorld.running(2)
        let (node, absent) = (simulation.nodes[0], simulation.nodes[1])
        try absent.stop()
        try node.submit(HandMadeWorld.write(1), zone: zone)
        try simulation.run(until: simulation.now + 100)
        var store = try #require(node.store)
        let judge = Judge()
        judge.evidence.watch(simulation)
        let key = try #require(try store.logs(zone: zone).first { $0.key.lane == .data }?.key)
        let position = LogPosition(actor: key.actor, lane: .data, size: 1, root: .zero)
        let checkpoint = Checkpoint(logs: [position], liveRoot: .zero, liveCount: 1, lapsed: [], previous: .zero)
        let known = try #require(try store.zone(zone))
        func made(after earlier: [Checkpoint]) throws {
            var row = known
            row.candidates = earlier
            try store.save(row)
            let commit = ObservedCommit(
                node: 0,
                device: node.device,
                account: node.process?.log.state,
                time: simulation.now,
                wall: node.wallMilliseconds,
                before: store,
                after: store
            )
            try judge.forgetting.checkMade(checkpoint, zone: zone, commit)
        }
        #expect(throws: Violation.self) { try made(after: []) }
        try made(after: [checkpoint])
    }
}
