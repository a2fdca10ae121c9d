import Identity
import Records
import Sodium
import Sync
import Wire

/// A member of the account with valid keys that sends forbidden messages over valid channels.
///
/// Apart from its misdeeds it behaves: its own store is honest, and peers take what it may send them. Everything that
/// every receiver must refuse is registered with the judge, which looks for it in all stores.
final class ByzantineMember {
    let process: NodeProcess
    private let judge: Judge?
    var random: SeededGenerator
    var store: MemoryStore

    /// Makes a running node misbehave once.
    /// - Parameters:
    ///   - node: The node.
    ///   - judge: The judge, which stops trusting the node.
    ///   - seed: The seed of its randomness.
    init?(_ node: SimulatedNode, judge: Judge?, seed: UInt64) {
        guard let process = node.process, let store = node.store else { return nil }
        self.process = process
        self.judge = judge
        self.store = store
        random = SeededGenerator(seed: seed)
        judge?.evidence.byzantine.insert(node.device)
    }

    /// Commits a misdeed against one of its peers.
    /// - Parameter misdeed: The misdeed.
    /// - Throws: Errors of the store.
    func commit(_ misdeed: Misdeed) throws {
        let sessions = process.links.keys.sorted()
        guard let session = random.element(of: sessions),
            let zone = random.element(of: try store.zones().filter { $0.state == .live })
        else { return }
        switch misdeed {
        case .emptyZone, .largerZone:
            try process.channels.send(.zoneState(try falseState(of: zone, isEmpty: misdeed == .emptyZone)), on: session)
        case .falseAcknowledgement:
            let logs = try store.logs(zone: zone.id).map { row in
                AcknowledgedLog(actor: row.key.actor, lane: row.key.lane, size: row.size + random.number(1...50))
            }
            try process.channels.send(.acknowledge(Acknowledge(zone: zone.id, logs: logs)), on: session)
        case .forgedHead:
            guard let run = try process.links[session].flatMap({ try forged(of: $0.device, in: zone) }) else { return }
            try process.channels.send(.run(run), on: session)
        case .garbage:
            let bytes = random.bytes(1 + random.index(below: 200))
            process.channels.send(garbage: bytes, on: session)
        case .fork:
            let runs = try [0, 1].compactMap { _ in try run(in: zone, .fork) }
            for (run, session) in zip(runs, sessions.shuffled(using: &random)) {
                try process.channels.send(.run(run), on: session)
            }
        case .unlawfulGrant, .aboveCut, .tellsZone, .asksForZone, .falseTerms:
            for message in try messages(about: zone, misdeed) { try process.channels.send(message, on: session) }
        case .falsePayloads, .withholdsPayloads, .falseLiveSets:
            process.node.misdeed = misdeed
        case .altersMessage, .repeatsMessage, .altersReceipts, .altersPrekey, .altersAnnouncement:
            process.node.forge(misdeed, seed: random.next())
        default:
            guard let run = try run(in: zone, misdeed) else { return }
            try process.channels.send(.run(run), on: session)
        }
    }

    // MARK: States

    func falseState(of zone: ZoneRow, isEmpty: Bool) throws -> Wire.ZoneState {
        let logs =
            try isEmpty
            ? []
            : store.logs(zone: zone.id).map { row in
                LogState(
                    device: row.device,
                    incarnation: row.incarnation,
                    right: row.right,
                    lane: row.key.lane,
                    size: row.size + random.number(1...9),
                    root: Hash(random.digest())
                )
            }
        return Wire.ZoneState(
            zone: zone.id,
            genesis: zone.genesis,
            logs: logs,
            checkpoint: .zero,
            wantsReply: random.chance(0.5)
        )
    }

    // MARK: Runs

    /// A run that seems to continue a log of another device.
    private func forged(of device: DeviceID, in zone: ZoneRow) throws -> Run? {
        let rows = try store.logs(zone: zone.id).filter { $0.device == device && $0.size > 0 }
        guard let row = random.element(of: rows), var head = try store.head(row.key, atOrBelow: row.size)?.signed.head
        else { return nil }
        head.size = row.size + random.number(1...9)
        head.root = Hash(random.digest())
        let signed = SignedTreeHead(head, signature: process.keys.sign(head.encoded, context: .treeHead))
        let gap = SubtreeGap(level: 0, index: row.size, hash: Hash(random.digest()))
        return Run(signedHead: signed, from: row.size, checkpoint: Hash(random.digest()), items: [.gap(gap)])
    }

    /// The next part of its own log, with one fault.
    private func run(in zone: ZoneRow, _ misdeed: Misdeed) throws -> Run? {
        var right = zone.right
        if misdeed == .madeUpRight { right = Hash(random.digest()) }
        let actor = ActorID(device: process.device, incarnation: process.incarnation, right: right)
        let key = LogKey(zone: zone.id, actor: actor, lane: .data)
        let row = try store.log(key)
        var frontier = row?.frontier ?? TreeFrontier()
        let from = frontier.size
        var seen = VersionVector()
        for log in try store.logs(zone: zone.id) where log.key.lane == .data && log.key.actor != key.actor {
            seen[log.key.actor] = log.appliedSize
        }
        let count = 1 + random.index(below: 3)
        let wrong = random.index(below: count)
        var items: [LogItem] = []
        for index in 0..<count {
            let place = BatchPlace(index: UInt32(index), count: UInt32(count))
            let isWrong = index == wrong
            var operation = try operation(zone: zone, key: key, counter: from + 1 + UInt64(index), place: place)
            if Misdeed.ofSeals.contains(misdeed) {
                let misdeed = isWrong ? misdeed : nil
                guard let sealed = try sealed(operation, in: zone, key: key, misdeed) else { return nil }
                operation = sealed
            } else if isWrong {
                spoil(&operation, misdeed, key: key)
            }
            frontier.append(operation.header.leafHash)
            if !Self.areTaken.contains(misdeed) {
                judge?.authorship.forbidden.insert(operation.header.bodyHash)
                judge?.authorship.forbidden.insert(operation.header.leafHash)
            }
            if isWrong, misdeed == .wrongBody { operation.body.append(0) }
            items.append(misdeed == .hiddenOperation ? .gap(gap(over: operation)) : .operation(operation))
        }
        if misdeed == .inflatedHead { seen = inflated(seen, key: key) }
        if misdeed == .inventedGap {
            let gap = SubtreeGap(level: 0, index: from, hash: Hash(random.digest()))
            judge?.authorship.forbidden.insert(gap.hash)
            items = [.gap(gap)]
            frontier = row?.frontier ?? TreeFrontier()
            frontier.append(gap.hash)
        }
        let zoneID = misdeed == .wrongZone ? ZoneID(random.digest()) : zone.id
        let root = misdeed == .wrongRoot ? Hash(random.digest()) : frontier.root
        let head = TreeHead(
            zone: zoneID,
            device: process.device,
            incarnation: process.incarnation,
            lane: .data,
            size: frontier.size,
            root: root,
            right: right,
            seen: seen
        )
        let signed = SignedTreeHead(head, signature: process.keys.sign(head.encoded, context: .treeHead))
        let place = misdeed == .wrongPlace ? from + random.number(1...3) : from
        let checkpoint = misdeed == .inventedGap ? Hash(random.digest()) : .zero
        return Run(signedHead: signed, from: place, checkpoint: checkpoint, items: items)
    }

    /// The misdeeds whose operations every receiver takes, whether they are effective or not.
    private static let areTaken: [Misdeed] = [.fork, .inflatedHead, .beyondRight] + Misdeed.ofSeals

    private func operation(zone: ZoneRow, key: LogKey, counter: UInt64, place: BatchPlace) throws -> Operation {
        let dot = Dot(actor: key.actor, counter: counter)
        let name = "poison\(random.index(below: 3))"
        let time = HybridTime(milliseconds: process.node.wallMilliseconds + random.number(0...1 << 40))
        let value = FieldValue.string("poison \(random.next())")
        let body = RecordBody(
            name: name,
            type: Workload.type,
            isDeleted: false,
            parent: nil,
            creator: process.device,
            modifier: process.device,
            fields: [RecordField(name: "title", entries: [FieldEntry(dot: dot, time: time, value: value)])]
        ).encoded
        let header = OperationHeader(
            counter: counter,
            tag: try RecordTag(of: name, zone: zone.id, in: store),
            vector: VersionVector(covering: [dot]),
            creation: dot,
            controlHeads: .zero,
            epoch: .zero,
            time: time,
            batch: place,
            bodyHash: Operation.bodyHash(body)
        )
        return Operation(header: header, body: body)
    }

    private func spoil(_ operation: inout Operation, _ misdeed: Misdeed, key: LogKey) {
        switch misdeed {
        case .wrongTag:
            operation.header.tag = RecordTag(random.digest())
        case .brokenBatch:
            operation.header.batch = BatchPlace(index: operation.header.batch.index, count: 9)
        case .malformedBody:
            operation.body = random.bytes(1 + random.index(below: 60))
            operation.header.bodyHash = Operation.bodyHash(operation.body)
        case .beyondRight:
            operation.header.vector.merge(everything(but: key))
        case .inflatedVector:
            operation.header.vector = inflated(operation.header.vector, key: key)
        default:
            break
        }
    }

    /// All operations of other logs that the store has applied.
    func everything(but key: LogKey) -> VersionVector {
        // A store in memory throws nothing here.
        let logs = (try? store.logs(zone: key.zone)) ?? []
        return logs.reduce(into: VersionVector()) { vector, row in
            if row.key.lane == .data, row.key.actor != key.actor, row.appliedSize > 0 {
                vector[row.key.actor] = row.appliedSize
            }
        }
    }

    /// A vector with an entry that no log ever reached.
    private func inflated(_ vector: VersionVector, key: LogKey) -> VersionVector {
        var vector = vector
        let others = vector.entries.map(\.actor).filter { $0 != key.actor }
        let actor = random.element(of: others) ?? ActorID(random.digest())
        vector[actor] = vector[actor] + random.number(1...1_000)
        return vector
    }

    private func gap(over operation: Operation) -> SubtreeGap {
        SubtreeGap(level: 0, index: operation.header.counter - 1, hash: operation.header.leafHash)
    }
}

extension SeededGenerator {
    /// 32 random bytes.
    mutating func digest() -> Digest32 {
        Digest32(word0: next(), word1: next(), word2: next(), word3: next())
    }
}
