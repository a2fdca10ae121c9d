import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

/// Laws of the merge: of the function alone on made-up siblings, and of replicas that use it.
@Suite struct `The laws of the merge` {
    private static let authors = (0..<6 as Range<UInt8>).map { TestAuthor($0).author }

    // MARK: The function

    /// Concurrent siblings whose clocks are often equal, with values of all kinds that merge.
    private func siblings(_ random: inout SeededGenerator) -> [Sibling] {
        Self.authors.prefix(Int.random(in: 1...6, using: &random)).map { author in
            let dot = Dot(actor: author.actor, counter: UInt64.random(in: 1...3, using: &random))
            let time = HybridTime(raw: UInt64.random(in: 1...2, using: &random))
            let fields = ["n", "s", "x"].filter { _ in Bool.random(using: &random) }.map { name in
                let value = value(name, dot, &random)
                return RecordField(name: name, entries: [FieldEntry(dot: dot, time: time, value: value)])
            }
            return Sibling(
                dot: dot,
                vector: [dot.actor: dot.counter],
                creation: dot,
                time: time,
                body: RecordBody(
                    name: "a",
                    type: "note",
                    isDeleted: fields.isEmpty,
                    parent: nil,
                    creator: author.device,
                    modifier: author.device,
                    fields: fields
                )
            )
        }
    }

    private func value(_ name: String, _ dot: Dot, _ random: inout SeededGenerator) -> FieldValue {
        let number = Int64.random(in: 0...2, using: &random)
        switch name {
        case "n": return .counter(CounterState(entries: [.init(actor: dot.actor, counter: dot.counter, total: number)]))
        case "s": return .set(SetState(entries: [.init(element: .int64(number), dots: [dot])]))
        default: return .int64(number)
        }
    }

    @Test func `order and repetition change nothing, ties of the clock included`() throws {
        for seed in 0..<1_500 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let siblings = siblings(&random)
            let merged = try #require(Merge.merge(siblings), "seed \(seed)")
            let again = siblings.shuffled(using: &random) + siblings.prefix(Int.random(in: 0...2, using: &random))
            #expect(Merge.merge(again) == merged, "seed \(seed)")
        }
    }

    @Test func `the shown value is one of the latest writers', counters add up, sets unite, edits beat deletions`()
        throws
    {
        for seed in 0..<1_500 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let siblings = siblings(&random)
            let merged = try #require(Merge.merge(siblings), "seed \(seed)")
            let editing = siblings.filter { !$0.body.isDeleted }
            #expect(merged.isDeleted == editing.isEmpty, "seed \(seed)")
            var entries: [String: [FieldEntry]] = [:]
            for field in editing.flatMap(\.body.fields) { entries[field.name, default: []] += field.entries }
            #expect(Set(merged.fields.map(\.name)) == Set(entries.keys), "seed \(seed)")
            for field in merged.fields {
                let all = entries[field.name] ?? []
                switch field.winner.value {
                case .counter(let state): #expect(state.value == total(all), "seed \(seed)")
                case .set(let state): #expect(Set(state.entries.map(\.element)) == elements(all), "seed \(seed)")
                default:
                    let last = all.max { ($0.time, $0.dot.actor) < ($1.time, $1.dot.actor) }
                    #expect(field.winner == last, "seed \(seed)")
                    #expect(Set(field.entries.map(\.dot)) == Set(all.map(\.dot)), "seed \(seed)")
                }
            }
        }
    }

    private func total(_ entries: [FieldEntry]) -> Int64 {
        entries.reduce(0) { sum, entry in
            guard case .counter(let state) = entry.value else { return sum }
            return sum + state.value
        }
    }

    private func elements(_ entries: [FieldEntry]) -> Set<FieldValue> {
        entries.reduce(into: []) { found, entry in
            guard case .set(let state) = entry.value else { return }
            found.formUnion(state.entries.map(\.element))
        }
    }

    // MARK: Replicas

    /// Replicas that have written much, and hold the same; the record "r0" is there and not deleted.
    private func settled(_ seed: UInt64) throws -> RandomHistory {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        for _ in 0..<30 { try history.step() }
        try history.settle()
        if try history.replicas[0].record("r0")?.isDeleted ?? true {
            try history.replicas[0].commit([.note("r0", ["f0": "there"])], by: history.authors[0], at: history.wall[0])
            try history.settle()
        }
        return history
    }

    private func write(_ write: RecordWrite, on index: Int, of history: inout RandomHistory) throws {
        try history.replicas[index].commit([write], by: history.authors[index], at: history.wall[index])
    }

    @Test(arguments: 0..<60) func `a write carries forward all that it does not change, conflicts included`(
        seed: UInt64
    ) throws {
        var history = try settled(seed)
        let before = try #require(try history.replicas[1].record("r0")).content()
        try write(.note("r0", ["new": "value"]), on: 1, of: &history)
        let after = try #require(try history.replicas[1].record("r0"))
        #expect(after.live.count == 1, "seed \(seed)")
        let kept = try after.content().fields.filter { $0.name != "new" }
        #expect(kept.map(\.name) == before.fields.map(\.name), "seed \(seed)")
        for (old, new) in zip(before.fields, kept) {
            #expect(new.winner?.value == old.winner?.value, "seed \(seed), \(old.name)")
            #expect(Set(new.entries.map(\.value)) == Set(old.entries.map(\.value)), "seed \(seed), \(old.name)")
        }
        try history.settle()
        #expect(try history.replicas[2].record("r0")?.content() == after.content(), "seed \(seed)")
    }

    @Test(arguments: 0..<60) func `a deletion removes exactly the elements that it has seen`(seed: UInt64) throws {
        var history = try settled(seed)
        try write(.deletion("r0"), on: 1, of: &history)
        var quiet = history
        try quiet.settle()
        for replica in quiet.replicas { #expect(try replica.record("r0")?.isDeleted == true, "seed \(seed)") }
        // A replica that has not seen the deletion writes one field: all earlier fields are there again.
        let before = try #require(try history.replicas[2].record("r0")).content()
        try write(.note("r0", ["new": "value"]), on: 2, of: &history)
        try history.settle()
        for replica in history.replicas {
            let row = try #require(try replica.record("r0"))
            #expect(!row.isDeleted, "seed \(seed)")
            let names = try row.content().fields.map(\.name)
            #expect(names == (before.fields.map(\.name) + ["new"]).sorted(), "seed \(seed)")
        }
    }

    @Test(arguments: 0..<40) func `exchanging records makes no operation`(
        seed: UInt64
    ) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 4)
        var written = [UInt64](repeating: 0, count: 4)
        for _ in 0..<60 {
            let index = history.number(0...3)
            if history.flip(3) {
                try history.commit(index)
                written[index] = try history.replicas[index].log(history.authors[index].log())?.size ?? 0
            } else {
                try history.exchange(to: index)
            }
        }
        try history.settle()
        try history.settle()
        for replica in history.replicas {
            for (author, size) in zip(history.authors, written) {
                #expect(try replica.log(author.log())?.size ?? 0 == size, "seed \(seed)")
            }
        }
    }

    @Test(arguments: 0..<100)
    func `a counter is the sum of all increments, and a set keeps elements that no removal had seen`(
        seed: UInt64
    ) throws {
        var history = try RandomHistory(seed: seed, replicaCount: 3)
        var model = [ObservedSet](repeating: ObservedSet(), count: 3)
        var sum: Int64 = 0
        for step in 0..<40 {
            let index = history.number(0...2)
            let element = history.number(0...2)
            var write = RecordWrite(name: "r", type: "note")
            switch history.number(0...3) {
            case 0:
                let amount = Int64(history.number(-9...9))
                sum += amount
                write.increments = [.init(field: "n", amount: amount)]
            case 1:
                write.insertions = [.init(field: "s", values: [.int64(Int64(element))])]
                model[index].insert(element, step)
            case 2:
                write.withdrawals = [.init(field: "s", values: [.int64(Int64(element))])]
                model[index].remove(element)
            default:
                let from = history.number(0...2)
                try history.replicas[index].pull(from: history.replicas[from])
                model[index].merge(model[from])
                continue
            }
            try self.write(write, on: index, of: &history)
        }
        try history.settle()
        let all = model.reduce(into: ObservedSet()) { $0.merge($1) }
        for replica in history.replicas {
            if case .counter(let state) = try replica.value("n", of: "r") {
                #expect(state.value == sum, "seed \(seed)")
            } else {
                #expect(sum == 0, "seed \(seed)")
            }
            var shown: Set<Int> = []
            if case .set(let state) = try replica.value("s", of: "r") {
                for entry in state.entries { if case .int64(let number) = entry.element { shown.insert(Int(number)) } }
            }
            #expect(shown == all.elements, "seed \(seed)")
        }
    }
}

/// A set in which an element is there as long as one insertion was not seen by a removal; the obvious way.
private struct ObservedSet {
    var insertions: [Int: Int] = [:]
    var removed: Set<Int> = []

    var elements: Set<Int> { Set(insertions.filter { !removed.contains($0.key) }.values) }

    mutating func insert(_ element: Int, _ name: Int) { insertions[name] = element }

    mutating func remove(_ element: Int) {
        removed.formUnion(insertions.filter { $0.value == element }.keys)
    }

    mutating func merge(_ other: ObservedSet) {
        insertions.merge(other.insertions) { $1 }
        removed.formUnion(other.removed)
    }
}
