import Sync
import Records
import ReplicaBehaviour
import TestSupport
import Wire

/// The steps of a machine, as they follow from a seed and from the machine's contents.
struct Workload: Sendable {
    static let names = (0..<12).map { "r\($0)" }
    static let zone = TestZone.id
    static let valueNames = ["a", "b", "c"]

    /// One action to perform next.
    enum Action: Sendable {
        case commit([Step])
        case read
        /// Moves the write-ahead log.
        case checkpoint
        /// Closes in order and opens again.
        case reopen
    }

    var random: SeededGenerator
    private var wall: UInt64 = 1_000_000
    private var peers: [(author: TestAuthor, replica: MemoryReplica)] = []

    init(seed: UInt64, peerCount: UInt8 = 2) throws {
        random = SeededGenerator(seed: seed)
        for number in 0..<peerCount {
            var replica = MemoryReplica()
            try replica.createTestZone()
            peers.append((TestAuthor(10 + number), replica))
        }
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// The next thing to do.
    mutating func next(_ model: Model) throws -> Action {
        if try model.replica.zones().isEmpty { return .commit([.createZone]) }
        switch number(1...20) {
        case 1: return .checkpoint
        case 2: return .reopen
        case 3: return .read
        case 4:
            // A group of several callers, one of which is refused now and then.
            var model = model
            var steps: [Step] = []
            for _ in 0..<number(2...4) {
                let step = try self.step(model)
                _ = model.perform([step])
                steps.append(step)
            }
            return .commit(steps)
        default: return .commit([try step(model)])
        }
    }

    private mutating func step(_ model: Model) throws -> Step {
        wall += UInt64(number(0...5))
        switch number(1...20) {
        case 1: return .makeCheckpoint(acknowledged: acknowledged(), wall: wall)
        case 2, 3: return .adopt
        case 4:
            return .setValue(Self.valueNames[number(0...2)], number(1...3) == 1 ? nil : random.bytes(number(0...900)))
        case 5: return try acknowledge()
        case 6:
            let peer = peers[number(0...(peers.count - 1))].author.author
            return .meet(
                PeerRow(
                    device: peer.device,
                    addresses: ["h:\(number(1...99))"],
                    lastSeenMilliseconds: wall,
                    channelVersion: [nil, .classical, .hybrid][Int(wall % 3)]
                )
            )
        case 7: return number(1...4) == 1 ? .leaveAccount : .account([random.bytes(number(1...300))])
        case 8: return .fail("a")
        case 9: return .incarnate(Step.author.author.incarnation)
        case 10...15: return try receive(model) ?? write()
        default: return write()
        }
    }

    /// Returns the sizes of the peers' logs, as the peers would have acknowledged them.
    private func acknowledged() -> [DeviceID: [LogKey: UInt64]] {
        var sizes: [DeviceID: [LogKey: UInt64]] = [Step.author.author.device: [:]]
        for peer in peers {
            // A memory that cannot be read holds nothing; it never throws.
            for log in (try? peer.replica.logs(zone: TestZone.id)) ?? [] {
                sizes[peer.author.author.device, default: [:]][log.key] = log.appliedSize
            }
        }
        return sizes
    }

    private mutating func acknowledge() throws -> Step {
        let peer = peers[number(0...(peers.count - 1))]
        let rows = try peer.replica.logs(zone: TestZone.id).map {
            AcknowledgementRow(device: peer.author.author.device, key: $0.key, size: $0.size)
        }
        return .acknowledge(rows)
    }

    private mutating func write() -> Step {
        let requests = (0..<number(1...2)).map { _ in
            WriteRequest((0..<number(1...4)).map { _ in randomWrite() }, isAtomic: number(1...2) == 1)
        }
        return .write(requests, wall: wall)
    }

    private mutating func randomWrite() -> RecordWrite {
        let name = Self.names[number(0...(Self.names.count - 1))]
        if number(1...8) == 1 { return .deletion(name) }
        var write = RecordWrite(name: name, type: "note")
        let text = String(
            repeating: "\(number(0...9))",
            count: number(1...10) == 1 ? number(1_000...9_000) : number(0...60)
        )
        write.set.append(.init(field: "f\(number(0...2))", value: .string(text)))
        if number(1...3) == 1 { write.increments = [.init(field: "count", amount: Int64(number(-3...5)))] }
        if number(1...4) == 1 { write.resolve = true }
        return write
    }

    /// Lets a peer go on, and takes one of its runs.
    private mutating func receive(_ model: Model) throws -> Step? {
        let index = number(0...(peers.count - 1))
        if number(1...2) == 1 { follow(index, model) }
        if number(1...3) > 1 {
            let writes = (0..<number(1...3)).map { _ in randomWrite() }
            try peers[index].replica.commit(writes, isAtomic: number(1...2) == 1, by: peers[index].author, at: wall)
        }
        let peer = peers[index].replica
        let lacking = try peer.logs(zone: TestZone.id).filter { log in
            let held = try model.replica.log(log.key)?.size ?? 0
            return log.key.actor != Step.author.author.actor && held < log.size
        }
        guard let log = lacking.randomElement(using: &random) else { return nil }
        let held = try model.replica.log(log.key)?.size ?? 0
        let budget = number(1...2) == 1 ? 1 : UInt64(1_000_000)
        guard let run = try peer.run(log.key, from: held, byteCount: budget) else { return nil }
        return .receive(run, wall: wall)
    }

    /// Lets a peer take over the durable contents of the machine.
    private mutating func follow(_ index: Int, _ model: Model) {
        let before = peers[index].replica
        do {
            try peers[index].replica.pull(from: model.replica, at: wall)
            while case .adopted = try Checkpoints(of: TestZone.id).adoptAndPrune(in: &peers[index].replica) {}
        } catch {
            // A peer that lacks a successor or a checkpoint would ask another one; here it stays behind.
            peers[index].replica = before
        }
    }
}
