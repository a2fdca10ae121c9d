import Records
import ReplicaBehaviour
import TestSupport
import Wire

/// Some replicas that write, exchange single runs in random order, and are cut off from one another at random.
struct RandomHistory {
    var random: SeededGenerator
    var replicas: [MemoryReplica]
    let authors: [TestAuthor]
    var wall: [UInt64]

    init(seed: UInt64, replicaCount: Int) throws {
        random = SeededGenerator(seed: seed)
        authors = (0..<replicaCount).map { TestAuthor(UInt8($0)) }
        replicas = []
        wall = []
        for index in 0..<replicaCount {
            var replica = MemoryReplica()
            try replica.createTestZone()
            replicas.append(replica)
            // Clocks are wrong by up to ten minutes, more than a clock follows a remote one.
            wall.append(UInt64(1_000_000 + index * 600_000))
        }
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func flip(_ outOf: Int) -> Bool { number(1...outOf) == 1 }

    /// One random step: a commit, or one run from one replica to another.
    mutating func step() throws {
        let index = number(0...(replicas.count - 1))
        wall[index] += UInt64(number(0...3))
        if flip(3) { try commit(index) } else { try exchange(to: index) }
    }

    mutating func commit(_ index: Int) throws {
        let writes = try (0..<number(1...4)).map { _ in try randomWrite(on: index) }
        let commit = try replicas[index].commit(writes, isAtomic: flip(2), by: authors[index], at: wall[index])
        precondition(commit.results[0].count == writes.count)
    }

    mutating func randomWrite(on index: Int) throws -> RecordWrite {
        let name = "r\(number(0...4))"
        var write = RecordWrite(name: name, type: "note")
        if flip(6) { return .deletion(name) }
        for _ in 0..<number(1...3) {
            let field = "f\(number(0...3))"
            guard !write.set.contains(where: { $0.field == field }) else { continue }
            write.set.append(.init(field: field, value: .int64(Int64(number(0...50)))))
        }
        if flip(3) { write.increments = [.init(field: "count", amount: Int64(number(-3...5)))] }
        if flip(3) { write.insertions = [.init(field: "tags", values: [.string("t\(number(0...5))")])] }
        if flip(5) { write.withdrawals = [.init(field: "tags", values: [.string("t\(number(0...5))")])] }
        if flip(6) { write.remove = ["f9"] }
        if flip(8) { write.replaceAll = true }
        if flip(4) { write.resolve = true }
        if flip(4) { write.ifVersion = try replicas[index].record(name)?.version }
        return write
    }

    /// Sends one run of a random log, which the receiver may have to hold back.
    mutating func exchange(to index: Int) throws {
        let from = number(0...(replicas.count - 1))
        guard from != index else { return }
        let logs = try replicas[from].logs(zone: TestZone.id)
        guard let log = logs.randomElement(using: &random) else { return }
        var start = try replicas[index].log(log.key)?.size ?? 0
        // Sometimes a run repeats operations that the receiver has.
        if flip(4), start > 0 { start = UInt64(number(0...Int(start))) }
        let budget = flip(2) ? 1 : UInt64(15 * 1_048_576)
        guard let run = try replicas[from].run(log.key, from: start, byteCount: budget) else { return }
        let decoded = try Run(decoding: run.encoded)
        do {
            try replicas[index].receive(decoded, at: wall[index])
        } catch ReplicaError.missingCheckpoint, ReplicaError.missingSuccessor {
            // The run that must come first comes later; nothing was stored.
        }
    }

    /// Lets all replicas exchange everything.
    mutating func settle() throws {
        for _ in 0..<replicas.count {
            for to in replicas.indices {
                for from in replicas.indices where from != to {
                    try replicas[to].pull(from: replicas[from], at: wall[to])
                }
            }
        }
    }
}
