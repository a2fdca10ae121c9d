import Identity
import Records
import Sync
import Wire

/// The law that an acknowledged write is durable and reaches all members, unless a write whose
/// author had seen it replaced it.
///
/// It follows the promises made to applications from the commit of a write to the end of the
/// history.
struct PromiseLaw {
    let evidence: Evidence

    // MARK: Writes

    /// Enters the writes of a commit in the ledger, with the content that their author's store showed before.
    ///
    /// Jobs of one transaction see the results of earlier ones. A write had therefore seen the content of its record
    /// before the transaction, and everything else that came to the record in it.
    /// - Parameters:
    ///   - places: The places of the operations that this node wrote.
    ///   - commit: The transaction.
    /// - Returns: The values that no author had been shown before.
    /// - Throws: Errors of the store.
    func enter(_ places: [OperationLibrary.Place], _ commit: ObservedCommit) throws -> [String] {
        var brought: [String] = []
        var known: [RecordTag: Shown] = [:]
        var writes: [WriteLedger.Write] = []
        for place in places {
            let entries = evidence.library.entries(at: place)
            guard let entry = entries.last, let body = entry.body else { continue }
            let tag = entry.operation.header.tag
            var seen = try known[tag] ?? shown(tag, before: places, in: place.key.zone, commit)
            let (carried, parts) = (body.marks, body.counterParts)
            var write = WriteLedger.Write(
                place: place,
                tag: tag,
                node: commit.node,
                brought: carried.subtracting(seen.marks),
                replaced: seen.marks.subtracting(carried)
            )
            write.dropped = seen.parts.filter { parts[$0.key] == nil }
            write.entry = entries.count - 1
            writes.append(write)
            brought += write.brought
            seen.add(body)
            known[tag] = seen
        }
        for write in writes { evidence.ledger.add(write) }
        return brought
    }

    /// The content of a record that the author of the first write in a transaction had been shown.
    private func shown(
        _ tag: RecordTag,
        before written: [OperationLibrary.Place],
        in zone: ZoneID,
        _ commit: ObservedCommit
    ) throws -> Shown {
        var seen = Shown()
        let row = try commit.before.record(zone: zone, tag: tag)
        // A deleted record shows nothing.
        if let row, !row.isDeleted { seen.add(try row.content()) }
        // If a record is held and not shown, or only in part, no body is known to have been seen before.
        let wasShown = row.map { !$0.isLocked } ?? false
        // Bodies that came without being written in the transaction: those of other devices, those
        // that the device itself had written before its disk was rolled back, and those that a key
        // received in the transaction has opened.
        for place in evidence.library.places(zone: zone, tag: tag) where !written.contains(place) {
            let before = wasShown ? try commit.before.log(place.key)?.appliedSize ?? 0 : 0
            let after = try commit.after.log(place.key)
            guard let after, before < place.counter, place.counter <= after.appliedSize else { continue }
            for body in evidence.library.entries(at: place).compactMap(\.body) { seen.add(body) }
        }
        return seen
    }

    // MARK: Promises

    /// Notes the answer to an application, and checks that it is true.
    /// - Parameters:
    ///   - request: The request.
    ///   - commit: The answer.
    ///   - node: The node that answered.
    ///   - time: The time of the answer, in simulated milliseconds.
    ///   - store: The node's durable store.
    /// - Throws: ``Violation``.
    func acknowledge(_ request: WriteRequest, _ commit: Commit, node: Int, time: UInt64, store: MemoryStore?) throws {
        for (write, result) in zip(request.writes, commit.results.first ?? []) {
            // The newest operation of the node's own log is the one that was just made.
            guard case .success(let row) = result,
                let dot = row.live.last(where: { $0.actor == commit.key.actor }) ?? row.live.first
            else { continue }
            let place = OperationLibrary.Place(
                key: LogKey(zone: row.zone, actor: dot.actor, lane: .data),
                counter: dot.counter
            )
            let additions = Dictionary(write.increments.map { ($0.field, $0.amount) }, uniquingKeysWith: &+)
            guard evidence.ledger.acknowledge(place, adding: additions, isDeletion: write.delete) else {
                throw Violation(
                    .acknowledgedIsKept,
                    time: time,
                    node: node,
                    "the write of \(write.name) was acknowledged as \(place), where nothing was committed"
                )
            }
            guard let store, !store.holds(place) else { continue }
            throw Violation(
                .acknowledgedIsKept,
                time: time,
                node: node,
                "\(place) was acknowledged before it was durable"
            )
        }
    }

    /// Checks that after a power loss everything acknowledged is still there.
    func checkAfterCrash(of node: SimulatedNode, _ store: MemoryStore?) throws {
        // Nothing is promised to applications of a byzantine device: it may fork its own log, and withdraw the branch
        // then.
        if evidence.byzantine.contains(node.device) { return }
        for write in evidence.ledger.writes where write.isAcknowledged && write.node == node.index && !write.isSetBack {
            if let store, store.holds(write.place) { continue }
            throw Violation(
                .acknowledgedIsKept,
                at: node,
                "\(write.place) was acknowledged, and is lost after a power loss"
            )
        }
    }

    /// Takes note that a node's disk was rolled back, lost or copied, and excuses the writes that
    /// were on it and are on no disk any more.
    func disturbed(_ node: SimulatedNode, from before: MemoryStore?, to store: MemoryStore?, because reason: String) {
        let library = evidence.library
        evidence.ledger.setBack(node.index) { library.isHeld($0, in: store) }
        let stores = node.simulation.nodes.compactMap { $0.disk.image().database }
        evidence.ledger.excuse(because: "node \(node.index): \(reason)") { write in
            // Only writes that were on this disk are lost with it.
            !library.isHeld(write, in: before) || stores.contains { library.isHeld(write, in: $0) }
        }
    }

    /// Checks at the end that every acknowledged write is in every store, and its values visible unless knowingly
    /// replaced.
    /// - Parameter look: A store that has converged.
    /// - Throws: ``Violation``.
    func check(_ look: StoreLook) throws {
        var zones: [ZoneID: ZonePromises] = [:]
        for write in evidence.ledger.writes where write.isAcknowledged && write.excuse == nil {
            let id = write.place.key.zone
            if zones[id] == nil { zones[id] = try ZonePromises(of: id, look, evidence) }
            try zones[id]?.check(write)
        }
    }
}

/// The shown content of a record, as far as the ledger distinguishes values.
struct Shown {
    /// Values that were written exactly once.
    private(set) var marks: Set<String> = []
    /// For each counter and log, the counter of the newest write whose additions are included.
    private(set) var parts: [WriteLedger.CounterPart: UInt64] = [:]
    /// The totals of these additions.
    private(set) var totals: [WriteLedger.CounterPart: Int64] = [:]

    /// Adds the content of a body.
    mutating func add(_ body: RecordBody) {
        marks.formUnion(body.marks)
        for (part, entry) in body.counterParts where parts[part] ?? 0 <= entry.counter {
            parts[part] = entry.counter
            totals[part] = entry.total
        }
    }
}
