import Records
import Sodium
import Sync
import Wire

/// The law that the records of a zone in a store are those that the reference model computes.
///
/// Where a store lacks some keys, the law applies to the readable part of its records.
struct ZoneRecords {
    let evidence: Evidence
    let zone: ZoneRow
    let store: MemoryStore
    /// The effective part of each log.
    let reaches: [LogKey: LogReach]
    /// The schema that all authors follow.
    let schema: Schema?
    /// The roles in the data logs.
    let roles: LogRoles
    /// The ends of the data logs with two histories.
    private let ends: [ActorID: ReferenceFork]

    /// The records of a zone.
    init(of zone: ZoneRow, _ reaches: [LogKey: LogReach], in store: MemoryStore, _ evidence: Evidence) throws {
        (self.evidence, self.zone, self.store, self.reaches) = (evidence, zone, store, reaches)
        let production = try zone.productionSchema()
        schema = production?.schema
        roles = LogRoles(reaches, production)
        ends = reaches.reduce(into: [:]) { ends, log in
            guard log.value.isForked, log.key.lane == .data else { return }
            ends[log.key.actor] = ReferenceFork(end: log.value.end, covered: log.value.limit)
        }
    }

    /// Compares one record with the reference model.
    /// - Returns: A description of the difference; `nil` if there is none.
    func fault(of tag: RecordTag) throws -> String? {
        // The superseding operation is still to come, if a disk that held it comes back.
        if try store.isAwaitingSuccessor(tag, zone: zone) { return nil }
        guard let operations = try readable(tag) else { return nil }
        let expected = ReferenceModel.record(of: operations, ends: ends) { settles($0) }
        let found = try store.record(zone: zone.id, tag: tag).flatMap { try ReferenceRecord($0) }
        guard expected != found else { return nil }
        let shown = expected.map(\.description) ?? "nothing"
        return "record \(tag.shortText) of zone \(zone.id.shortText) is \(found.map(\.description) ?? "nothing"),"
            + " should be \(shown)"
    }

    /// Whether a type keeps only the shown value where several were written concurrently.
    func settles(_ type: String) -> Bool { schema?.type(named: type)?.conflicts == .latest }

    /// Whether a live operation of a record cannot be read in a store.
    ///
    /// The store can know neither its content nor the operations that it replaces, and no application builds on it.
    func isHidden(_ tag: RecordTag) throws -> Bool {
        try ReferenceModel.live(effective(tag)).contains(where: \.isUnread)
    }

    /// The operations that determine the content of a record that a store must show.
    ///
    /// All effective ones; where some cannot be read, the readable live ones; `nil` where no live one can be read:
    /// then the store shows the previous content.
    private func readable(_ tag: RecordTag) throws -> [ReferenceOperation]? {
        let operations = try effective(tag)
        guard operations.contains(where: \.isUnread) else { return operations }
        let live = ReferenceModel.live(operations)
        let read = live.filter { !$0.isUnread }
        return read.isEmpty && !live.isEmpty ? nil : read
    }

    /// The effective operations of a record in a store, pruned ones included.
    ///
    /// For an operation that the store cannot read, its header decides whether it is effective.
    private func effective(_ tag: RecordTag) throws -> [ReferenceOperation] {
        // After a start, a record that was readable before stays shown while its key is not open yet.
        let hasUnread = try store.record(zone: zone.id, tag: tag)?.isLocked ?? false
        return try Set(evidence.library.places(zone: zone.id, tag: tag)).compactMap { place in
            guard place.counter <= reaches[place.key]?.counted ?? 0, let chosen = try entry(at: place),
                chosen.operation.header.tag == tag
            else { return nil }
            let header = chosen.operation.header
            if hasUnread, chosen.isUnread(in: store) {
                return roles.admit(unread: header, at: place) ? ReferenceOperation(unread: header, dot: place.dot) : nil
            }
            guard let body = chosen.body, roles.admit(chosen, at: place) else { return nil }
            return ReferenceOperation(dot: place.dot, header: header, body: body)
        }
    }

    /// The operation at a place that the store holds, or held before it was pruned.
    private func entry(at place: OperationLibrary.Place) throws -> OperationLibrary.Entry? {
        let entries = evidence.library.entries(at: place)
        guard entries.count > 1 || zone.isUnverified else { return entries.first }
        // Of two histories this store holds one; an incomplete replica shows what it has.
        let held = try store.operation(at: place)
        let chosen = entries.first { $0.operation.header == held?.header }
        if chosen != nil || zone.isUnverified { return chosen }
        // The operation is pruned here, so it is the one that the gap stands for; where that cannot be
        // determined, one that left the disk that it was written to.
        let index =
            try indexBehindGap(place)
            ?? entries.indices.first { !evidence.ledger.isLost(place, entry: $0) } ?? entries.startIndex
        return entries[index]
    }

    /// Determines which history the gap around a place stands for: the one whose leaves give its hash.
    /// - Returns: The index of the entry at the place; `nil` where no history gives the hash, or the gap is too large
    ///   to try.
    private func indexBehindGap(_ place: OperationLibrary.Place) throws -> Int? {
        let items = try store.items(place.key, from: place.counter - 1, to: place.counter)
        guard case .gap(let gap)? = items.first?.content, gap.endLeaf - gap.firstLeaf <= 4_096 else { return nil }
        let leaves = (gap.firstLeaf..<gap.endLeaf).map { leaf in
            evidence.library.entries(at: OperationLibrary.Place(key: place.key, counter: leaf + 1)).map(
                \.operation.header.leafHash
            )
        }
        guard !leaves.contains(where: \.isEmpty) else { return nil }
        // A leaf that both histories share is in the library once.
        let index = (0..<(leaves.map(\.count).max() ?? 0)).first { history in
            var tree = MerkleFrontier<LogTreeHashing>()
            for leaf in leaves { tree.append(leaf[min(history, leaf.count - 1)]) }
            return tree.root == gap.hash
        }
        return index.map { min($0, evidence.library.entries(at: place).count - 1) }
    }
}
