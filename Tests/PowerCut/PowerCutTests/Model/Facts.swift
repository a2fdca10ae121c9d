import Sync
import Records
import ReplicaBehaviour
import Wire

/// Everything that a store has to remember, read back.
struct Facts: Equatable, Sendable {
    var replica: ReplicaFacts
    var node: NodeFacts

    init(_ transaction: some NodeTransaction) throws {
        replica = try ReplicaFacts(transaction)
        node = try NodeFacts(transaction)
    }

    init(_ model: Model) throws {
        replica = try ReplicaFacts(model.replica)
        node = NodeFacts(model)
    }

    /// The first differences, for the report.
    func difference(to other: Facts) -> String {
        let mine = Mirror(reflecting: replica).children.map { ($0.label ?? "", "\($0.value)") }
        let theirs = Mirror(reflecting: other.replica).children.map { ($0.label ?? "", "\($0.value)") }
        var found: [String] = []
        for (one, another) in zip(mine, theirs) where one.1 != another.1 {
            found.append("\(one.0): \(one.1.prefix(300)) … instead of … \(another.1.prefix(300))")
        }
        for line in Set(node.lines).symmetricDifference(other.node.lines).sorted().prefix(6) {
            found.append("\(node.lines.contains(line) ? "has" : "lacks") \(line.prefix(200))")
        }
        return found.joined(separator: "\n  ")
    }
}

/// The rows that a replica reads from storage.
struct ReplicaFacts: Equatable, Sendable {
    var zones: [ZoneRow]
    var logs: [LogRow]
    var heads: [[HeadRow]]
    var items: [[StoredItem]]
    var summaries: [OperationSummary]
    var operations: [StoredOperation]
    var records: [RecordRow]
    var clock: HybridClock
    var incarnation: Incarnation?
    var digest: Hash?

    init(_ transaction: some ReplicaTransaction) throws {
        zones = try transaction.zones()
        logs = try transaction.logs(zone: TestZone.id)
        heads = try logs.map { try transaction.heads($0.key, above: 0, limit: .max) }
        items = try logs.map { try transaction.items($0.key, from: 0, to: .max) }
        summaries = try transaction.summaries(zone: TestZone.id, after: nil, limit: .max)
        clock = try transaction.clock()
        incarnation = try transaction.incarnation()
        if zones.isEmpty {
            (operations, records, digest) = ([], [], nil)
        } else {
            let tags = try Workload.names.map { try RecordTag(of: $0, zone: TestZone.id, in: transaction) }.sorted()
            operations = try transaction.operations(zone: TestZone.id, tags: tags, states: Set(OperationState.allCases))
            records = try transaction.records(zone: TestZone.id, tags: tags).sorted { $0.tag < $1.tag }
            digest = try ZonePositions(of: TestZone.id).digest(in: transaction)
        }
    }
}

/// The rows that the node keeps beside the replica, and those that applications read, one fact a line.
struct NodeFacts: Equatable, Sendable {
    var lines: [String]

    init(_ transaction: some NodeTransaction) throws {
        lines = []
        for name in Workload.valueNames {
            if let value = try transaction.value(named: name) { lines.append("value \(name) \(value)") }
        }
        lines += try transaction.peers().map(Self.line)
        lines += try transaction.acknowledgements(zone: TestZone.id).map(Self.line)
        lines += try transaction.accountEntries().enumerated().map { "account \($0.offset) \($0.element)" }
        lines += try transaction.changes(zone: nil, after: 0, limit: 100_000).map {
            "change \($0.position) \($0.record.tag) \($0.bySync)"
        }
        lines += try transaction.records(zone: TestZone.id, after: nil, limit: 10_000).records.map {
            "shows \($0.name)"
        }
        lines.append("position \(try transaction.newestPosition())")
        lines.append("count \(try transaction.recordCount(zone: TestZone.id))")
        lines.sort()
    }

    init(_ model: Model) {
        lines = model.values.map { "value \($0.key) \($0.value)" }
        lines += model.peers.values.map(Self.line)
        lines += model.acknowledgements.values.map(Self.line)
        lines += model.account.enumerated().map { "account \($0.offset) \($0.element)" }
        var newest: [RecordTag: MemoryReplica.Change] = [:]
        for change in model.replica.changes { newest[change.tag] = change }
        lines += newest.values.map { "change \($0.position) \($0.tag) \($0.bySync)" }
        let shown = model.replica.allRecords(zone: TestZone.id).filter { !$0.isDeleted }
        lines += shown.map { "shows \($0.name)" }
        lines.append("position \(model.replica.changes.last?.position ?? 0)")
        lines.append("count \(shown.count)")
        lines.sort()
    }

    private static func line(_ peer: PeerRow) -> String {
        "peer \(peer.device) \(peer.addresses) \(peer.lastSeenMilliseconds) \(peer.channelVersion.map { "\($0)" } ?? "-")"
    }

    private static func line(_ row: AcknowledgementRow) -> String {
        "acknowledged \(row.device) \(row.key) \(row.size)"
    }
}
