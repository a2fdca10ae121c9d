import FuzzKit
import Identity
import Records
import Sodium
import TestSupport
import Wire

/// The effect of peers' runs on a replica: authors write logs that may break every rule, sign them properly, and send
/// any part of them, again, late, changed, or in two histories; in between the replica writes itself, removes
/// devices, and makes and adopts checkpoints.
///
/// Laws: an error or an outcome, never a trap and never damage; a refused run changes nothing; the contents stay
/// consistent; and a fresh replica that is served everything that this one holds comes to the same digest and the
/// same records.
let replicaTarget = FuzzTarget(
    "replica",
    inputByteCountMax: 100,
    run: { bytes in
        var program = ReplicaProgram.begun(FuzzInput(bytes))
        // Each prefix of a program is a program, so the laws about the end are mostly checked there only.
        let sum = bytes.reduce(0, ^)
        program.isPatient = sum & 7 == 0
        while !program.isOver { program.step() }
        program.demandConsistent()
        if program.isPlain || sum & 24 == 0 { program.checkServing() }
    },
    seeds: {
        var generator = SeededGenerator(seed: 18)
        return (0..<150).map { _ in
            [UInt8(generator.below(4))]
                + (0..<(2 + generator.below(9))).flatMap { _ -> [UInt8] in
                    let author = UInt8(generator.below(3))
                    return generator.below(3) > 0
                        ? ReplicaProgram.write(author, UInt8(generator.below(3)), generator.bytes(1)[0])
                        : ReplicaProgram.send(author)
                }
        }
    }
)

struct ReplicaProgram {
    var input: FuzzInput
    var replica = ReplicaWorld.empty
    var logs: [HandMadeLog]
    var stepCount = 0
    private var stepCountMax = 40
    /// Whether everything is looked at after each step.
    var isPatient = true
    /// Whether only plain runs were taken, so that a fresh replica must come to the same state by runs alone.
    var isPlain = true
    var sentinels: [Checkpoint] = []

    init(_ input: FuzzInput) {
        self.input = input
        logs = ReplicaWorld.authors.flatMap { author in
            [HandMadeLog(author: author, lane: .data), HandMadeLog(author: author, lane: .control)]
        }
    }

    var isOver: Bool { input.isEmpty || stepCount > stepCountMax }

    /// The prefixes from which programs begin, so that a short one gets far: nothing; logs that are held; concurrent
    /// changes on top of them; and a checkpoint that covers them.
    private static let beginnings: [ReplicaProgram] = {
        let held = [write(0, 0, 1), write(1, 0, 2), write(1, 1, 3), send(0), send(1)]
        let local: [UInt8] = [8, 0, 0, 7, 0, 0, 0]
        let concurrent = held + [local, write(0, 0, 4), write(2, 0, 5), write(0, 1, 6), send(0), send(2)]
        let checkpoint: [UInt8] = [10, 0, 0, 0, 0, 0]
        let all: [[[UInt8]]] = [[], held, concurrent, concurrent + [checkpoint]]
        return all.map { steps in
            let bytes = Array(steps.joined())
            var program = ReplicaProgram(FuzzInput(bytes))
            while !program.isOver { program.step() }
            return program
        }
    }()

    /// The program of an input, whose first byte selects its beginning.
    static func begun(_ input: FuzzInput) -> ReplicaProgram {
        var input = input
        var program = beginnings[input.below(beginnings.count)]
        program.input = input
        program.stepCountMax = program.stepCount + 24
        return program
    }

    /// The bytes of a step in which an author writes a number into a record.
    static func write(_ author: UInt8, _ record: UInt8, _ value: UInt8) -> [UInt8] {
        [0, author, 0, record, 1, 0, value & 127, 0, 0, 0, 0, 0, 0]
    }

    /// The bytes of a step that sends everything that an author wrote.
    static func send(_ author: UInt8) -> [UInt8] {
        [4, author, 0, 0, 0, 0, 0]
    }

    mutating func step() {
        stepCount += 1
        switch input.below(12) {
        case 0, 1, 2: write()
        case 3: writeControl()
        case 4, 5, 6, 7: deliver()
        case 8: commit()
        case 9: cut()
        case 10: checkpoint()
        default: proveFork()
        }
    }

    /// Runs a transaction on the store: an error undoes all of it.
    mutating func transact(isUnchangedOnError: Bool = false, _ body: (inout MemoryReplica) throws -> Void) {
        let before = replica
        do {
            try body(&replica)
        } catch let error as ReplicaError {
            if case .damaged(let what) = error { demand(false, "nothing a peer sends damages the store: \(what)") }
            if isUnchangedOnError, case .invalidRun = error { demandUnchanged(before, "a refused run changes nothing") }
            replica = before
        } catch {
            demand(false, "a replica throws its own errors: \(error)")
        }
        if isPatient { demandConsistent() }
    }

    // MARK: Authors

    private mutating func log(_ lane: Lane? = nil) -> Int {
        let place = input.below(ReplicaWorld.authors.count) * 2
        return place + ((lane ?? (input.below(6) == 5 ? .control : .data)) == .data ? 0 : 1)
    }

    private mutating func vector(_ own: Dot) -> VersionVector {
        var vector = VersionVector()
        for author in ReplicaWorld.authors where input.below(4) == 3 {
            let known = always("a log") { try replica.log(author.log(.data))?.size ?? 0 }
            vector.merge(Dot(actor: author.author.actor, counter: input.below(4) == 3 ? input.number() : known))
        }
        vector[own.actor] = own.counter
        return vector
    }

    private mutating func write() {
        let place = log(.data)
        let count = UInt32(input.below(8) == 7 ? 2 : 1)
        for index in 0..<count {
            let name = input.below(ReplicaWorld.names.count)
            let bytes = body(ReplicaWorld.names[name], place)
            append(place, ReplicaWorld.tags[name], bytes, BatchPlace(index: index, count: count))
        }
    }

    private mutating func append(_ place: Int, _ tag: RecordTag, _ body: [UInt8], _ batch: BatchPlace) {
        let own = logs[place].next
        var header = OperationHeader(
            counter: own.counter,
            tag: tag,
            vector: vector(own),
            creation: own,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(raw: UInt64(5 + stepCount) << 20),
            batch: batch,
            bodyHash: Operation.bodyHash(body)
        )
        switch input.below(24) {
        case 17: header.counter = input.number()
        case 18: header.creation = Dot(actor: input.one(of: ReplicaWorld.authors).author.actor, counter: 1)
        case 19: header.epoch = Hash(tag.digest)
        case 20: header.time = HybridTime(raw: input.number())
        case 21: header.batch = BatchPlace(index: UInt32(input.below(3)), count: UInt32(1 + input.below(3)))
        case 22: header.bodyHash = .zero
        case 23: header.vector = VersionVector(covering: [own])
        default: break
        }
        logs[place].operations.append(Operation(header: header, body: body))
    }

    private mutating func body(_ name: String, _ place: Int) -> [UInt8] {
        let own = logs[place].next
        let time = HybridTime(raw: UInt64(5 + stepCount) << 20)
        let fields = (0..<input.below(3)).map { index in
            RecordField(name: "f\(index)", entries: [FieldEntry(dot: own, time: time, value: value(own))])
        }
        let device = logs[place].author.author.device
        let body = RecordBody(
            name: name,
            type: "t",
            isDeleted: input.below(5) == 4,
            parent: nil,
            creator: device,
            modifier: device,
            fields: fields
        )
        return input.below(6) == 5 ? input.mutate(body.encoded) : body.encoded
    }

    private mutating func value(_ own: Dot) -> FieldValue {
        switch input.below(5) {
        case 0, 1: return .int64(Int64(bitPattern: input.number()))
        case 2: return .string(input.bool() ? "x" : "y")
        case 3:
            let delta = Int64(bitPattern: input.number())
            return .counter(CounterState(entries: [.init(actor: own.actor, counter: own.counter, total: delta)]))
        default:
            let element = FieldValue.int64(Int64(input.below(3)))
            return .set(SetState(entries: [.init(element: element, dots: [own])]))
        }
    }

    private mutating func writeControl() {
        let place = log(.control)
        let body: ControlBody =
            switch input.below(5) {
            case 0: .genesis(ReplicaWorld.genesis)
            case 1, 2: .checkpoint(claimedCheckpoint())
            case 3: .unknown(tag: 1_000, bytes: input.blob())
            default: .zoneDeletion(reason: "because")
            }
        append(place, .zero, input.below(6) == 5 ? input.mutate(body.encoded) : body.encoded, .single)
        if case .unknown = body { return }
        if case .genesis = body { return }
        isPlain = false
    }

    private mutating func claimedCheckpoint() -> Checkpoint {
        let logs = ReplicaWorld.authors.map { author in
            let row = always("a log") { try replica.log(author.log(.data)) }
            let size = input.below(4) == 3 ? input.number() % Limits.counterMax : row?.size ?? 0
            return LogPosition(actor: author.author.actor, lane: .data, size: size, root: row?.frontier.root ?? .zero)
        }
        let claimed = Checkpoint(
            logs: logs.filter { $0.size > 0 },
            liveRoot: .zero,
            liveCount: UInt64(input.byte()),
            lapsed: [],
            previous: .zero
        )
        sentinels.append(claimed)
        return claimed
    }

    // MARK: Runs

    private mutating func deliver() {
        let place = log()
        let log = logs[place]
        let held = Int(clamping: always("a log") { try replica.log(log.author.log(log.lane))?.size ?? 0 })
        let end = input.below(4) == 3 ? input.below(log.operations.count + 1) : log.operations.count
        let start = input.below(6) == 5 ? input.below(end + 1) : min(held, end)
        var input = self.input
        let seen = seen(log, &input)
        let isChanged = input.below(8) == 7
        var run = log.run(
            from: start,
            to: end,
            seen: seen,
            changing: { if isChanged { Self.change(&$0, &input) } },
            head: { if isChanged { Self.change(&$0, &input) } }
        )
        if isChanged {
            run.from = input.below(3) == 2 ? input.number() : run.from
            run.checkpoint = input.bool() ? sentinels.last?.hash ?? .zero : .zero
        }
        self.input = input
        let wire = run.encoded
        // A run that does not decode never reaches the replica.
        guard let decoded = try? Run(decoding: wire) else { return }
        receive(decoded)
    }

    /// Returns the version vector of the other actors' operations that the operations of a log had seen.
    private func needed(_ log: HandMadeLog, _ end: Int) -> VersionVector {
        var needed = VersionVector()
        for operation in log.operations.prefix(end) { needed.merge(operation.header.vector) }
        needed[log.author.author.actor] = 0
        return needed
    }

    private mutating func receive(_ run: Run) {
        let head = run.signedHead.head
        let actor = head.actor
        let before = replica
        var receipt: ReceivedRun?
        transact(isUnchangedOnError: true) { replica in
            receipt = try RunReceiver(run, actor: actor, wallMilliseconds: 1_000).receive(in: &replica)
        }
        switch receipt {
        case .misplaced: demandUnchanged(before, "a run that does not fit changes nothing")
        case .alreadyHeld: demandUnchanged(before, "a run that is held already changes nothing")
        case .beyondBudget: demandUnchanged(before, "a run for which there is no room changes nothing")
        case .forked, .beyondFork: isPlain = false
        case .stored, .beyondCut, nil: break
        }
    }

    private mutating func seen(_ log: HandMadeLog, _ input: inout FuzzInput) -> VersionVector {
        var seen = needed(log, log.operations.count)
        guard input.below(8) == 7 else { return seen }
        // An author that leaves out operations that it had seen, or names ones that it never wrote: it may wait for
        // ever.
        if input.bool() { return VersionVector() }
        seen[log.author.author.actor] = input.number()
        return seen
    }

    private static func change(_ items: inout [LogItem], _ input: inout FuzzInput) {
        guard !items.isEmpty else { return }
        let place = input.below(items.count)
        switch input.below(6) {
        case 0: items.remove(at: place)
        case 1: items.insert(items[place], at: place)
        case 2: items.swapAt(0, place)
        case 3: items[place] = .gap(SubtreeGap(level: UInt8(input.below(4)), index: UInt64(place), hash: .zero))
        default:
            guard case .operation(let operation) = items[place] else { return }
            // Hidden so that the root is right.
            let header = operation.header
            let index = min(header.counter &- 1, Limits.counterMax - 1)
            items[place] = .gap(SubtreeGap(level: 0, index: index, hash: header.leafHash))
        }
    }

    private static func change(_ head: inout TreeHead, _ input: inout FuzzInput) {
        switch input.below(8) {
        case 0: head.size = max(1, input.number() % Limits.counterMax)
        case 1: head.root = .zero
        case 2: head.lane = head.lane == .data ? .control : .data
        case 3: head.zone = .zero
        case 4: head.seen = VersionVector()
        default: break
        }
    }
}
