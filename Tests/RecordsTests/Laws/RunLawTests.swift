import Records
import ReplicaBehaviour
import TestSupport
import Testing
import Wire

/// A run is accepted as its author signed it, or not at all.
@Suite struct `The laws of a run` {
    private let alice = TestAuthor(1)

    /// A run of some batches of random sizes.
    private func run(_ random: inout SeededGenerator) throws -> Run {
        var source = try emptyReplica()
        for commit in 0..<Int.random(in: 2...5, using: &random) {
            let writes = (0..<Int.random(in: 1...3, using: &random)).map {
                RecordWrite.note("r\(Int.random(in: 0...2, using: &random))-\($0)", ["x": "\(commit)"])
            }
            try source.commit(writes, isAtomic: Int.random(in: 0...1, using: &random) == 0, by: alice)
        }
        return try #require(try source.run(alice.log()))
    }

    /// Returns whether a replica that holds the first leaves of the true run accepts anything from another one.
    private func isTaken(_ run: Run, behind held: Run?) throws -> Bool {
        var target = try emptyReplica()
        if let held { try target.receive(held) }
        let before = try Trace(target)
        let receipt: ReceivedRun?
        do {
            receipt = try target.receive(run)
        } catch is ReplicaError {
            receipt = nil
        }
        if case .stored = receipt { return true }
        if case .forked = receipt { return true }
        return try Trace(target) != before
    }

    @Test(arguments: 0..<100) func `items in another order, omitted, repeated or truncated are never accepted`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let run = try run(&random)
        #expect(try isTaken(run, behind: nil), "seed \(seed)")
        for sample in 0..<12 {
            var changed = run
            switch sample % 6 {
            case 0: changed.items.shuffle(using: &random)
            case 1: changed.items = run.items.filter { _ in Bool.random(using: &random) }
            case 2: changed.items = run.items.map { _ in run.items.randomElement(using: &random) ?? run.items[0] }
            case 3: changed.items.removeLast(Int.random(in: 1...run.items.count, using: &random))
            case 4: changed.items.removeFirst(Int.random(in: 1...run.items.count, using: &random))
            default:
                // The run declares that it begins behind the omitted items.
                let count = Int.random(in: 1..<run.items.count, using: &random)
                changed.items.removeFirst(count)
                changed.from = UInt64(count)
            }
            guard changed != run else { continue }
            #expect(try !isTaken(changed, behind: nil), "seed \(seed), sample \(sample)")
        }
    }

    @Test(arguments: 0..<100) func `two runs of one author have no items in common that could be exchanged`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let first = try run(&random)
        let second = try run(&random)
        for index in first.items.indices where index < second.items.count && first.items[index] != second.items[index] {
            var changed = first
            changed.items[index] = second.items[index]
            #expect(try !isTaken(changed, behind: nil), "seed \(seed), item \(index)")
            changed = first
            changed.signedHead = second.signedHead
            #expect(try !isTaken(changed, behind: nil), "seed \(seed), head")
        }
    }

    @Test(arguments: 0..<100) func `the missing rest of a run makes the same log, whichever part is present`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var source = try emptyReplica()
        var sizes: [UInt64] = [0]
        for index in 0..<8 {
            sizes.append(try source.commit([.note("r\(index % 3)", ["x": "\(index)"])], by: alice).size)
        }
        var target = try emptyReplica()
        while true {
            let size = try target.log(alice.log())?.size ?? 0
            guard size < 8 else { break }
            let from = sizes.filter { $0 <= size }.randomElement(using: &random) ?? 0
            let run = try #require(try source.run(alice.log(), from: from, byteCount: 1), "seed \(seed)")
            try target.receive(run)
            // A small budget may reach no further than the held part.
            if try target.log(alice.log())?.size ?? 0 == size {
                try target.receive(try #require(try source.run(alice.log(), from: size)))
            }
        }
        #expect(try target.log(alice.log())?.frontier == source.log(alice.log())?.frontier, "seed \(seed)")
        #expect(target.allRecords(zone: TestZone.id) == source.allRecords(zone: TestZone.id), "seed \(seed)")
    }
}
