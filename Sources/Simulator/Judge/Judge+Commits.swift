import Records
import Sync
import Wire

// The cheap checks: the operations that one step of a store added, and the consistency of the store after it.
extension Judge {
    /// Checks one step of a store.
    /// - Parameter commit: The step.
    /// - Throws: `Violation`.
    package func check(_ commit: ObservedCommit) throws {
        checkCount += 1
        library.learn(commit.after.keyring)
        learnSecrets(of: commit.after.keyring)
        try checkClock(commit)
        for zone in try commit.after.zones() {
            let old = try commit.before.zone(zone.id).map { try commit.before.reaches(zone: $0) } ?? [:]
            let new = try commit.after.reaches(zone: zone)
            library.learn(zone)
            learnSecrets(of: zone)
            try checkAcknowledgements(commit, zone: zone.id)
            if old == new { continue }
            var touched: Set<RecordTag> = []
            var past: Int?
            var own: [OperationLibrary.Place] = []
            var said: [OperationLibrary.Place] = []
            for (key, reach) in new.sorted(by: { $0.key < $1.key }) where reach != old[key] {
                let before = old[key] ?? LogReach(size: 0, applied: 0, limit: .max)
                // Where a checkpoint covers the other branch, the operations behind the fork are removed.
                if reach.size < before.size, reach.isForked { continue }
                // Where more operations are effective than before, the purged ones are fetched again, with those
                // behind them.
                if reach.size < before.size, try isPurged(key, at: reach.size, in: commit.before) { continue }
                guard reach.size >= before.size else {
                    throw commit.violation(.storeIntegrity, "log \(key) shrank from \(before.size) to \(reach.size)")
                }
                try takeIn(
                    key,
                    from: before.size,
                    to: reach.size,
                    past: &past,
                    own: &own,
                    said: &said,
                    old: old,
                    new: new,
                    commit
                )
                try collectTags(key, before: before, after: reach, commit, into: &touched)
            }
            // An operation that was void may be effective now, and the other way round.
            if new.contains(where: { old[$0.key].map { [role = $0.value.role] in $0.role != role } ?? false }) {
                touched.formUnion(library.tags(zone: zone.id))
            }
            for (key, reach) in new.sorted(by: { $0.key < $1.key }) where reach.applied > old[key]?.applied ?? 0 {
                try checkBatchEnd(key, reach, commit)
                try checkCauses(key, reach, old: old, all: new, zone: zone, commit)
            }
            try enter(own, commit)
            try checkSealed(own + said, commit)
            // A copy of the device writes under its name as well, to other logs.
            let written = Set(own.map(\.key))
            let isAlone = new.allSatisfy { key, reach in
                reach == old[key] || written.contains(key)
                    || key.lane == .control && devices[key.actor] == commit.device
            }
            try checkOwnWrites(own, isAlone: isAlone, commit)
            for tag in touched.sorted() {
                if try commit.after.isAwaitingSuccessor(tag, zone: zone) { continue }
                try checkRecord(tag, zone: zone, reaches: new, store: commit.after) { commit.violation($0, $1) }
            }
        }
    }

    /// Whether a log held purged operations, of which only the hashes remain, at or behind a place above its cut.
    private func isPurged(_ key: LogKey, at size: UInt64, in store: MemoryStore) throws -> Bool {
        guard let row = try store.log(key), let cut = row.cut, size >= cut.size else { return false }
        return try store.items(key, from: size, to: row.size).contains { item in
            if case .gap = item.content { true } else { false }
        }
    }

    /// The operations that an author had seen when it wrote: those that were effective before its transaction.
    ///
    /// Operations of control logs that the same transaction cut off are left out, since statements about them come
    /// after it.
    private func seen(_ old: [LogKey: LogReach], _ new: [LogKey: LogReach]) -> [LogKey: UInt64] {
        Dictionary(
            uniqueKeysWithValues: old.map { key, reach in
                (key, key.lane == .control ? min(reach.counted, new[key]?.counted ?? 0) : reach.counted)
            }
        )
    }

    // MARK: Added operations

    /// Compares the added leaves with those that their authors wrote.
    private func takeIn(
        _ key: LogKey,
        from: UInt64,
        to: UInt64,
        past: inout Int?,
        own: inout [OperationLibrary.Place],
        said: inout [OperationLibrary.Place],
        old: [LogKey: LogReach],
        new: [LogKey: LogReach],
        _ commit: ObservedCommit
    ) throws {
        guard from < to else { return }
        let row = try commit.after.log(key)
        let device = row?.device
        devices[key.actor] = device
        rightOf[key.actor] = row?.right
        let isByzantine = device.map { byzantine.contains($0) } ?? false
        for item in try commit.after.items(key, from: from, to: to) {
            let place = OperationLibrary.Place(key: key, counter: item.first + 1)
            try checkAllowed(item, at: place, commit)
            switch item.content {
            case .operation(let stored):
                try checkBlind(stored.operation, at: place, commit)
                if library.knows(stored.operation, at: place) {
                    if device == commit.device { try checkTakenBack(place, commit) }
                    continue
                }
                guard device == commit.device || isByzantine else {
                    if library.entries(at: place).isEmpty {
                        throw commit.violation(.ownClockEntry, "\(place) was never written by its author")
                    }
                    throw commit.violation(.oneLeafForEachPlace, "\(place) differs from its author's operation")
                }
                // The operations that a byzantine member had seen are unknown, and require nothing of other stores.
                let known = isByzantine ? library.addPast([:]) : past ?? library.addPast(seen(old, new))
                if !isByzantine { past = known }
                if device == commit.device {
                    if key.lane == .data { own.append(place) } else { said.append(place) }
                }
                let isTaken = library.add(stored.operation, at: place, past: known)
                if isTaken, !isByzantine, !toleratesForks {
                    throw commit.violation(.oneLeafForEachPlace, "\(place) was written a second time")
                }
                if isTaken, !isByzantine { try checkNonces(at: place, commit) }
                switch library.entries(at: place).last?.control {
                case .epoch: epochTimes[stored.operation.header.leafHash] = commit.time
                case .raiseCut(let raise) where !isByzantine:
                    // An owner may make more operations effective than existed when the right ended, as far as it has
                    // seen the log.
                    endings.removeAll { $0.rights?.contains(raise.capability) ?? false }
                default: break
                }
                if let control = library.entries(at: place).last?.control, case .checkpoint(let made) = control,
                    !isByzantine
                {
                    try checkMade(made, zone: key.zone, commit)
                }
            case .gap(let gap):
                guard gap.endLeaf <= library.sizes[key] ?? 0 || isByzantine else {
                    throw commit.violation(.ownClockEntry, "a gap of \(key) reaches beyond the written operations")
                }
            }
        }
    }

    /// Checks that a store has taken in nothing that every receiver must refuse.
    private func checkAllowed(_ item: StoredItem, at place: OperationLibrary.Place, _ commit: ObservedCommit) throws {
        if forbidden.isEmpty { return }
        let name =
            switch item.content {
            case .operation(let stored): stored.operation.header.bodyHash
            case .gap(let gap): gap.hash
            }
        guard forbidden.contains(name) else { return }
        // Above a cut a gap may stand for a purged operation, and for nothing that is effective (`logs.md`, rule 4).
        if case .gap(let gap) = item.content, gap.leafCount == 1,
            let cut = try commit.after.log(place.key)?.cut, item.first >= cut.size
        {
            return
        }
        throw commit.violation(.referenceModel, "the operation at \(place) must be refused by every device")
    }

    /// Collects the records with an operation that becomes effective or ceases to be.
    private func collectTags(
        _ key: LogKey,
        before: LogReach,
        after: LogReach,
        _ commit: ObservedCommit,
        into tags: inout Set<RecordTag>
    ) throws {
        guard key.lane == .data, before.counted != after.counted else { return }
        for leaf in min(before.counted, after.counted)..<max(before.counted, after.counted) {
            for entry in library.entries(at: OperationLibrary.Place(key: key, counter: leaf + 1)) {
                tags.insert(entry.operation.header.tag)
            }
        }
    }

    // MARK: Order

    private func checkBatchEnd(_ key: LogKey, _ reach: LogReach, _ commit: ObservedCommit) throws {
        let place = OperationLibrary.Place(key: key, counter: reach.applied)
        guard let operation = try commit.after.operation(at: place), !operation.header.batch.isLast else { return }
        throw commit.violation(.causality, "\(key) is applied up to \(reach.applied), in the middle of a batch")
    }

    /// Checks that everything that the author of the newest applied operation had applied is applied here too.
    private func checkCauses(
        _ key: LogKey,
        _ reach: LogReach,
        old: [LogKey: LogReach],
        all: [LogKey: LogReach],
        zone: ZoneRow,
        _ commit: ObservedCommit
    ) throws {
        let place = OperationLibrary.Place(key: key, counter: reach.applied)
        guard reach.applied <= reach.limit, let entry = library.entries(at: place).first, !reach.isForked,
            library.entries(at: place).count == 1
        else { return }
        for (other, size) in library.past(of: entry).sorted(by: { $0.key < $1.key }) where other.lane == key.lane {
            let here = all[other] ?? LogReach(size: 0, applied: 0, limit: .max)
            if here.isForked || library.forked.contains(other) || here.applied >= min(size, here.limit) { continue }
            // Operations of a liar that claims to have seen unwritten operations wait for ever, and nothing waits for
            // them.
            if let author = devices[other.actor], byzantine.contains(author) { continue }
            // It was applied, and then dropped under a checkpoint in order to continue behind it: its record shows it
            // until then. Both may have come in one transaction; then the dropped range is a gap.
            let wasApplied = old[other]?.applied ?? 0 >= min(size, here.limit)
            let isGivenUp = try wasApplied || isForgotten(other, from: here.applied, to: size, in: commit.after)
            if zone.isUnverified, isGivenUp, zone.watermark[other.actor] >= size { continue }
            // It was applied when less of that log was effective, which an earlier job of the transaction or the
            // operation itself changed; an applied operation stays applied.
            let steps = [commit.before] + commit.between + [commit.after]
            let wasFree = try zip(steps, steps.dropFirst()).contains { before, after in
                guard let own = try after.log(key), own.appliedSize >= reach.applied else { return false }
                return try before.log(other)?.cut.map { $0.size < size } ?? false
            }
            if wasFree { continue }
            let head = try commit.after.heads(key, above: reach.applied - 1, limit: 1).first?.signed.head
            throw commit.violation(
                .causality,
                "\(place) is applied, whose author had seen \(other) up to \(size);"
                    + " here are \(here.applied) of \(here.size);"
                    + " its head of size \(head?.size ?? 0) claims \(head.map { "\($0.seen)" } ?? "nothing")"
            )
        }
    }

    /// Whether a part of a log is held as gaps only.
    private func isForgotten(_ key: LogKey, from: UInt64, to: UInt64, in store: MemoryStore) throws -> Bool {
        guard let row = try store.log(key), row.size >= to else { return false }
        return try store.items(key, from: from, to: to).allSatisfy { item in
            if case .gap = item.content { true } else { false }
        }
    }

    // MARK: Records

    /// Compares one record with the reference model.
    func checkRecord(
        _ tag: RecordTag,
        zone: ZoneRow,
        reaches: [LogKey: LogReach],
        store: MemoryStore,
        _ violation: (Invariant, String) -> Violation
    ) throws {
        guard let operations = try readable(tag, zone: zone, reaches: reaches, store: store) else { return }
        let ends = reaches.reduce(into: [ActorID: ReferenceFork]()) { ends, log in
            guard log.value.isForked, log.key.lane == .data else { return }
            ends[log.key.actor] = ReferenceFork(end: log.value.end, covered: log.value.limit)
        }
        let schema = try zone.productionSchema()?.schema
        let expected = ReferenceModel.record(of: operations, ends: ends) { type in
            schema?.type(named: type)?.conflicts == .latest
        }
        let found = try store.record(zone: zone.id, tag: tag).flatMap { try ReferenceRecord($0) }
        guard expected == found else {
            let shown = expected.map(\.description) ?? "nothing"
            throw violation(
                .referenceModel,
                "record \(tag.shortText) of zone \(zone.id.shortText) is \(found.map(\.description) ?? "nothing"),"
                    + " should be \(shown)"
            )
        }
    }

    /// The effective operations of a record in a store, pruned ones included.
    ///
    /// For an operation that the store cannot read, its header decides whether it is effective.
    func counting(
        _ tag: RecordTag,
        zone: ZoneRow,
        reaches: [LogKey: LogReach],
        store: MemoryStore
    ) throws -> [ReferenceOperation] {
        let roles = try reaches.reduce(into: Roles(production: zone.productionSchema())) { roles, log in
            if log.key.lane == .data { roles[log.key.actor] = log.value.role }
        }
        // After a start, a record that was readable before stays shown while its key is not open yet.
        let hasUnread = try store.record(zone: zone.id, tag: tag)?.isLocked ?? false
        return try Set(library.places(zone: zone.id, tag: tag)).compactMap { place in
            guard place.counter <= reaches[place.key]?.counted ?? 0 else { return nil }
            let entries = library.entries(at: place)
            var chosen = entries.first
            if entries.count > 1 || zone.isUnverified {
                // Of two histories this store holds one; an incomplete replica shows what it has.
                let held = try store.operation(at: place)
                chosen = entries.first { $0.operation.header == held?.header }
                if chosen == nil, !zone.isUnverified {
                    // The operation is pruned here, so it is the one that the gap stands for; where that cannot be
                    // determined, one that left the disk that it was written to.
                    let left =
                        try indexBehindGap(place, in: store)
                        ?? entries.indices.first { !ledger.isLost(place, entry: $0) } ?? entries.startIndex
                    chosen = entries[left]
                }
            }
            guard let chosen, chosen.operation.header.tag == tag else { return nil }
            let dot = Dot(actor: place.key.actor, counter: place.counter)
            let header = chosen.operation.header
            if hasUnread, isUnread(chosen, in: store) {
                guard isWithinRight(unread: header, at: place, roles) else { return nil }
                return ReferenceOperation(unread: header, dot: dot)
            }
            guard let body = chosen.body, isWithinRight(chosen, at: place, roles) else { return nil }
            return ReferenceOperation(dot: dot, header: header, body: body)
        }
    }

    /// Determines which history the gap around a place stands for: the one whose leaves give its hash.
    /// - Returns: The index of the entry at the place; `nil` where no history gives the hash, or the gap is too large
    ///   to try.
    private func indexBehindGap(_ place: OperationLibrary.Place, in store: MemoryStore) throws -> Int? {
        let items = try store.items(place.key, from: place.counter - 1, to: place.counter)
        guard case .gap(let gap)? = items.first?.content, gap.endLeaf - gap.firstLeaf <= 4_096 else { return nil }
        let leaves = (gap.firstLeaf..<gap.endLeaf).map { leaf in
            library.entries(at: OperationLibrary.Place(key: place.key, counter: leaf + 1)).map(
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
        return index.map { min($0, library.entries(at: place).count - 1) }
    }

    // MARK: Knowledge about peers

    /// Checks that everything acknowledged by a device is durable there.
    private func checkAcknowledgements(_ commit: ObservedCommit, zone: ZoneID) throws {
        for row in commit.after.acknowledgements(zone: zone, since: commit.before) {
            guard !setBack.contains(row.device), !byzantine.contains(row.device), !library.forked.contains(row.key),
                let store = durableStore(row.device)
            else { continue }
            let held = try store.log(row.key)?.size ?? 0
            if held >= row.size { continue }
            // Operations that no member needs any more are acknowledged without being kept.
            if let log = try store.log(row.key), log.cut != nil || log.isForked { continue }
            if case .deleted = try store.zone(zone)?.state { continue }
            throw commit.violation(
                .truthfulAcknowledgement,
                "\(row.device.shortText) is taken to hold \(row.key) up to \(row.size), but holds \(held) durably"
            )
        }
    }

    private func checkClock(_ commit: ObservedCommit) throws {
        let wall = max(furthestWall[commit.device] ?? 0, commit.wall)
        furthestWall[commit.device] = wall
        let latest = try commit.after.clock().latest.milliseconds
        // A second more for readings that are counted up within one millisecond.
        guard latest > wall + HybridClock.leadMillisecondsMax + 1_000 else { return }
        throw commit.violation(.clocks, "the clock is at \(latest), the wall clock was never beyond \(wall)")
    }
}

extension OperationLibrary.Place: CustomStringConvertible {
    /// Log and counter.
    package var description: String { "\(key):\(counter)" }
}
