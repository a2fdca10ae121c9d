package import Wire

/// The merge of a record's live operations: a pure function of their set.
///
/// Concurrent writes of different fields all stand. Where they wrote the same field every value survives and one is
/// shown, the same on every replica. A value that one sibling's author had seen and did not restate is gone. Counters
/// and sets merge by their own rules. Siblings that delete are effective only when all do: an edit beats a delete
/// that had not seen it, and keeps its author's whole state.
///
/// The result is computed, never written back, so a merge makes no new operation and no new conflict.
/// Source: the dotted version vectors of Preguiça et al., "Brief announcement: efficient causality tracking in
/// distributed storage systems with dotted version vectors", PODC 2012, applied per field.
package enum Merge {
    /// Merges siblings.
    /// - Parameters:
    ///   - siblings: Live operations of one record in any order; repetitions are ignored.
    ///   - forks: The ends of the zone's forked logs: a sibling does not drop an entry from behind one merely because
    ///     it claims to have seen it.
    ///   - latestTypes: The types whose records keep only the shown value (`ConflictPolicy.latest`).
    /// - Returns: The merged record, nil for no siblings.
    /// - Complexity: O(total entries · siblings).
    package static func merge(
        _ siblings: [Sibling],
        forks: ForkPoints = ForkPoints(),
        latestTypes: Set<BytewiseString> = []
    ) -> MergedRecord? {
        let ordered = inOrder(siblings)
        guard let first = ordered.first else { return nil }
        let editing = ordered.filter { !$0.body.isDeleted }
        let isDeleted = editing.isEmpty
        let parts = isDeleted ? ordered : editing
        guard let latest = parts.max(by: { ($0.time, $0.dot) < ($1.time, $1.dot) }) else { return nil }
        var creator = parts[0]
        var vector = VersionVector()
        for part in parts {
            if part.creation < creator.creation { creator = part }
            vector.merge(part.vector)
        }
        var seen = first.vector
        for sibling in ordered.dropFirst() {
            seen.merge(sibling.vector)
        }
        var fields = isDeleted ? [] : fields(of: parts, forks)
        if !latestTypes.isEmpty, latestTypes.contains(BytewiseString(latest.body.type)) {
            for index in fields.indices { fields[index].entries = [fields[index].winner] }
        }
        let merged = MergedRecord(
            name: latest.body.name,
            type: latest.body.type,
            isDeleted: isDeleted,
            parent: latest.body.parent,
            creator: creator.body.creator,
            modifier: latest.body.modifier,
            fields: fields,
            unknownExtension: latest.body.unknownExtension,
            vector: vector,
            seen: seen,
            creation: creator.creation,
            time: latest.time,
            live: ordered.map(\.dot)
        )
        merged.assertValid()
        return merged
    }

    /// One of each, in an order that depends on the set alone.
    private static func inOrder(_ siblings: [Sibling]) -> [Sibling] {
        if siblings.count < 2 { return siblings }
        var ordered: [Sibling] = []
        for sibling in siblings.sorted(by: { ($0.dot, $0.time) < ($1.dot, $1.time) })
        where !ordered.contains(sibling) {
            ordered.append(sibling)
        }
        return ordered
    }

    // MARK: Fields

    private static func fields(of parts: [Sibling], _ forks: ForkPoints) -> [MergedField] {
        if parts.count == 1 {
            return parts[0].body.fields.compactMap { merged($0.name, $0.entries, parts, forks) }
        }
        var names: [BytewiseString: Bool] = [:]
        for part in parts {
            for field in part.body.fields {
                names[BytewiseString(field.name)] = true
            }
        }
        return names.keys.sorted().compactMap {
            merged($0.string, survivors(of: $0.string, in: parts, forks), parts, forks)
        }
    }

    /// The entries of a field that no sibling has seen and left out, ascending by dot.
    ///
    /// One dot may come with two values, from the histories of a forked log: both stay.
    private static func survivors(of name: String, in parts: [Sibling], _ forks: ForkPoints) -> [FieldEntry] {
        let carried = parts.map { $0.body.field(named: name)?.entries ?? [] }
        var kept: Set<FieldEntry> = []
        for entry in carried.joined() {
            let isDropped = zip(parts, carried).contains { part, entries in
                forks.isCovered(entry.dot, by: part.vector) && !entries.contains { $0.dot == entry.dot }
            }
            if !isDropped { kept.insert(entry) }
        }
        return kept.sorted { $0.orderKey < $1.orderKey }
    }

    private static func merged(
        _ name: String,
        _ survivors: [FieldEntry],
        _ parts: [Sibling],
        _ forks: ForkPoints
    ) -> MergedField? {
        guard let winner = survivors.winner else { return nil }
        if survivors.count > 1, let value = folded(name, survivors, parts, forks) {
            let entry = FieldEntry(dot: winner.dot, time: winner.time, value: value)
            return MergedField(name: name, entries: [entry], winner: entry, isFolded: true)
        }
        return MergedField(name: name, entries: bounded(survivors), winner: winner, isFolded: false)
    }

    /// At most as many entries as a body may hold: the greatest in the order of showing.
    private static func bounded(_ entries: [FieldEntry]) -> [FieldEntry] {
        guard entries.count > Limits.fieldEntryCountMax else { return entries }
        let kept = entries.sorted { $0.isShown(before: $1) }.suffix(Limits.fieldEntryCountMax)
        return kept.sorted { $0.orderKey < $1.orderKey }
    }

    // MARK: Counters and sets

    /// The one value of entries that are all counters or all sets; nil otherwise.
    private static func folded(
        _ name: String,
        _ entries: [FieldEntry],
        _ parts: [Sibling],
        _ forks: ForkPoints
    ) -> FieldValue? {
        var counters: [CounterState] = []
        var sets: [SetState] = []
        for entry in entries {
            switch entry.value {
            case .counter(let state): counters.append(state)
            case .set(let state): sets.append(state)
            default: return nil
            }
        }
        if sets.isEmpty { return .counter(folded(counters, forks)) }
        return counters.isEmpty ? .set(folded(name, sets, parts, forks)) : nil
    }

    /// The total of each actor's newest write.
    ///
    /// Once the operations behind a fork are restated, their restatements replace them.
    private static func folded(_ counters: [CounterState], _ forks: ForkPoints) -> CounterState {
        var newest: [ActorID: CounterState.Entry] = [:]
        let isRestated = counters.contains { $0.entries.contains(where: \.isRestated) }
        for entry in counters.lazy.flatMap(\.entries) {
            if isRestated, forks.isUncounted(entry.dot) { continue }
            if let other = newest[entry.actor] {
                if (other.counter, other.total) >= (entry.counter, entry.total) { continue }
            }
            newest[entry.actor] = entry
        }
        return CounterState(entries: Array(newest.values))
    }

    /// An element's dot stays unless some sibling has seen it and does not carry it: removed by that sibling.
    private static func folded(
        _ name: String,
        _ sets: [SetState],
        _ parts: [Sibling],
        _ forks: ForkPoints
    ) -> SetState {
        let carried = parts.map { part in
            var dots: Set<ElementDot> = []
            for entry in part.body.field(named: name)?.entries ?? [] {
                guard case .set(let state) = entry.value else { continue }
                dots.formUnion(ElementDot.all(in: state))
            }
            return dots
        }
        var kept: [FieldValue: Set<Dot>] = [:]
        for added in sets.lazy.flatMap({ ElementDot.all(in: $0) }) {
            let isRemoved = zip(parts, carried).contains {
                forks.isCovered(added.dot, by: $0.vector) && !$1.contains(added)
            }
            if !isRemoved { kept[added.element, default: []].insert(added.dot) }
        }
        return SetState(entries: kept.map { SetState.Entry(element: $0.key, dots: Array($0.value)) })
    }
}

/// One addition of one element.
private struct ElementDot: Hashable {
    var element: FieldValue
    var dot: Dot

    static func all(in state: SetState) -> [ElementDot] {
        state.entries.flatMap { entry in entry.dots.map { ElementDot(element: entry.element, dot: $0) } }
    }
}
