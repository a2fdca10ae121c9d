import Records
import ReplicaBehaviour
import Sodium
import TestSupport
import Wire

/// Some replicas of which two or three are copies of one, with its identity, that do not know of each other.
///
/// Every value is written once, and of every write the state that its author saw is noted: so it is known which
/// values were never replaced knowingly.
struct ForkedHistory {
    var random: SeededGenerator
    var replicas: [MemoryReplica]
    var authors: [TestAuthor]
    var wall: [UInt64]
    /// The log with several histories.
    let forked: LogKey
    private let copyCount: Int
    private var serial: Int64 = 0
    private var life: UInt8 = 0
    private(set) var written: Set<Value> = []
    private(set) var replaced: Set<Value> = []
    private(set) var restatedCount: UInt64 = 0
    /// The sum of the amounts added to the counter of each record.
    private(set) var sums: [String: Int64] = [:]

    /// One value of one field of one record, or one element of its set.
    struct Value: Hashable {
        var record: String
        var field: String
        var value: FieldValue
    }

    init(seed: UInt64, copyCount: Int, otherCount: Int) throws {
        random = SeededGenerator(seed: seed)
        self.copyCount = copyCount
        let alice = TestAuthor(0)
        forked = alice.log()
        authors = [alice] + (0..<otherCount).map { TestAuthor(UInt8($0 + 1)) }
        replicas = try authors.map { _ in try emptyReplica() }
        wall = authors.indices.map { 1_000_000 + UInt64($0) * 600_000 }
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func flip(_ outOf: Int) -> Bool { number(1...outOf) == 1 }

    /// Copies the first replica, identity and all.
    mutating func copy() {
        for _ in 1..<copyCount {
            replicas.insert(replicas[0], at: 0)
            authors.insert(authors[0], at: 0)
            wall.insert(wall[0] + 7, at: 0)
        }
    }

    // MARK: Steps

    mutating func step() throws {
        let index = number(0...(replicas.count - 1))
        wall[index] += UInt64(number(0...3))
        if flip(3) { try write(index) } else { try exchange(to: index) }
    }

    mutating func write(_ index: Int) throws {
        let write = try randomWrite(on: index)
        let before = try values(index, record: write.name)
        do {
            try replicas[index].commit([write], by: authors[index], at: wall[index])
        } catch ReplicaError.ownLogClosed {
            renew(index)
            return
        }
        let after = try values(index, record: write.name)
        written.formUnion(after)
        replaced.formUnion(before.subtracting(after))
    }

    /// As `step()`, with nothing but additions to counters.
    mutating func countingStep() throws {
        let index = number(0...(replicas.count - 1))
        guard flip(3) else { return try exchange(to: index) }
        let name = "c\(number(0...2))"
        let amount = Int64(number(-9...20))
        let write = RecordWrite(name: name, type: "note", increments: [.init(field: "count", amount: amount)])
        do {
            try replicas[index].commit([write], by: authors[index], at: wall[index])
            sums[name, default: 0] += amount
        } catch ReplicaError.ownLogClosed {
            renew(index)
        }
    }

    /// A store that learns that its log has another history elsewhere goes on under another name.
    mutating func renew(_ index: Int) {
        life += 1
        authors[index] = TestAuthor(0, life: life)
    }

    private mutating func randomWrite(on index: Int) throws -> RecordWrite {
        let name = "r\(number(0...3))"
        var write = RecordWrite(name: name, type: "note")
        if flip(7) { return .deletion(name) }
        serial += 1
        for field in 0..<number(1...2) {
            write.set.append(.init(field: "f\(number(0...1) + field * 2)", value: .int64(serial)))
        }
        if flip(3) { write.insertions = [.init(field: "tags", values: [.string("t\(serial)")])] }
        if flip(6), write.insertions.isEmpty {
            let tags = try values(index, record: name).filter { $0.field == "tags" }.map(\.value)
            let removed = tags.sorted { $0.encoded.lexicographicallyPrecedes($1.encoded) }.prefix(1)
            if !removed.isEmpty { write.withdrawals = [.init(field: "tags", values: Array(removed))] }
        }
        if flip(8) { write.replaceAll = true }
        if flip(5) { write.resolve = true }
        return write
    }

    /// Sends one run of a random log, with any outcome.
    mutating func exchange(to index: Int) throws {
        let from = number(0...(replicas.count - 1))
        guard from != index else { return }
        let logs = try replicas[from].logs(zone: TestZone.id)
        guard let log = logs.randomElement(using: &random) else { return }
        var start = try replicas[index].log(log.key)?.size ?? 0
        if flip(5), start > 0 { start = UInt64(number(0...Int(start))) }
        guard let run = try replicas[from].run(log.key, from: start, byteCount: flip(2) ? 1 : 1 << 20) else { return }
        _ = try give(run, to: index)
    }

    /// Gives a run to a replica as a node does: a failure is rolled back.
    private mutating func give(_ run: Run, to index: Int) throws -> ReceivedRun? {
        let before = replicas[index]
        do {
            return try replicas[index].receive(try Run(decoding: run.encoded), at: wall[index])
        } catch let error as ReplicaError {
            replicas[index] = before
            guard case .invalidRun(_, .rootMismatch) = error else { throw error }
            return nil
        }
    }

    /// Lets a replica that is no copy make all that it holds final, if anything is new.
    /// - Parameter isAlwaysOne: Whether it is the same replica each time, so that no two histories of a log are covered.
    /// - Throws: An error of the replica.
    mutating func cover(isAlwaysOne: Bool = false) throws {
        let index = isAlwaysOne ? replicas.count - 1 : number(copyCount...(replicas.count - 1))
        let author = authors[index]
        let due = try Checkpoints(of: TestZone.id).due(
            acknowledged: [:],
            activeDevices: [],
            ownDevice: author.author.device,
            nowMilliseconds: 100_000_000_000,
            lastMilliseconds: 0,
            in: replicas[index]
        )
        guard let due else { return }
        try replicas[index].commit(.checkpoint(due), by: author, at: wall[index])
    }

    /// Takes the last replica that is no copy away, if another one is left.
    mutating func lose() {
        guard replicas.count > copyCount + 1 else { return }
        replicas.removeLast()
        authors.removeLast()
        wall.removeLast()
    }

    /// Adds an empty replica, of a device that has written nothing.
    mutating func join() throws {
        replicas.append(try emptyReplica())
        authors.append(TestAuthor(90))
        wall.append(wall[0])
    }

    // MARK: Settling

    /// Lets all replicas exchange everything, find forks and restate, until nothing changes any more.
    /// - Parameter roundCount: The number of rounds after which it stops in any case.
    /// - Returns: Whether it came to an end.
    /// - Throws: An error of a replica.
    mutating func settle(roundCount: Int = 12) throws -> Bool {
        for _ in 0..<roundCount {
            let before = try replicas.map { try Trace($0) }
            for to in replicas.indices.shuffled(using: &random) {
                for from in replicas.indices.shuffled(using: &random) where from != to {
                    try synchronise(from, to)
                }
            }
            for index in replicas.indices { try restate(index) }
            if try replicas.map({ try Trace($0) }) == before { return true }
        }
        return false
    }

    private mutating func synchronise(_ from: Int, _ to: Int) throws {
        for lane in [Lane.control, .data] {
            for row in try replicas[from].logs(zone: TestZone.id) where row.key.lane == lane {
                // Proofs go before runs, as they do with a zone's state.
                if let proof = row.forkProof { try record(try ForkProof(decoding: proof.encoded), at: to) }
                try send(row.key, from, to)
            }
        }
    }

    private mutating func send(_ key: LogKey, _ from: Int, _ to: Int) throws {
        var acknowledged: UInt64?
        while true {
            let positions = try ZonePositions(of: TestZone.id).all(in: replicas[to])
            let held = positions.first { $0.row.key == key }
            let size = acknowledged ?? held?.size ?? 0
            let ours = try ZonePositions(of: TestZone.id).all(in: replicas[from]).first { $0.row.key == key }
            if let ours, let held, ours.size == held.size, ours.root != held.root, size > 0 {
                try show(key, from, to)
                return
            }
            guard let run = try replicas[from].run(key, from: size) else { return }
            switch try give(run, to: to) {
            case .stored(let applied): acknowledged = applied.size
            case .alreadyHeld(let held) where held > size: acknowledged = held
            case .beyondFork(let proof, _), .forked(let proof):
                try record(proof, at: from)
                return
            case nil:
                try show(key, to, from)
                return
            default: return
            }
        }
    }

    /// Shows one replica's history to another, which shows its own if it cannot tell.
    private mutating func show(_ key: LogKey, _ from: Int, _ to: Int) throws {
        for (from, to) in [(from, to), (to, from)] {
            guard let run = try RunServing(key).skeleton(in: replicas[from]) else { return }
            switch try give(run, to: to) {
            case .beyondFork(let proof, _), .forked(let proof):
                try record(proof, at: from)
                return
            case nil: continue
            default: return
            }
        }
    }

    private mutating func record(_ proof: ForkProof, at index: Int) throws {
        let head = proof.first.head
        let actor = ActorID(digesting: .actorID, head.device.bytes + head.incarnation.bytes)
        _ = try proof.record(actor: actor, wallMilliseconds: wall[index], in: &replicas[index])
    }

    /// Restates the operations that a replica holds behind forks, after its own identity was renewed if need be.
    mutating func restate(_ index: Int) throws {
        if try replicas[index].log(authors[index].log())?.isForked == true { renew(index) }
        while true {
            let author = authors[index]
            let restatement = try LocalWrites(
                zone: TestZone.id,
                author: author.author,
                wallMilliseconds: wall[index],
                sign: author.sign
            ).restateForked(in: &replicas[index])
            restatedCount += restatement.restatedCount
            guard restatement.hasMore else { return }
        }
    }

    // MARK: Shown values

    /// Returns all values of one record, conflicts included.
    func values(_ index: Int, record name: String) throws -> Set<Value> {
        guard let row = try replicas[index].record(name), !row.isDeleted else { return [] }
        var values: Set<Value> = []
        for field in try row.content().fields {
            for entry in field.entries {
                if case .set(let state) = entry.value {
                    for element in state.entries {
                        values.insert(Value(record: name, field: field.name, value: element.element))
                    }
                } else {
                    values.insert(Value(record: name, field: field.name, value: entry.value))
                }
            }
        }
        return values
    }

    /// Returns all values at a replica.
    func values(_ index: Int) throws -> Set<Value> {
        try (0...3).reduce(into: []) { $0.formUnion(try values(index, record: "r\($1)")) }
    }
}
