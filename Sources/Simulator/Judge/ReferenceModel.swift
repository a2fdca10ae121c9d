import Records
import Sodium
package import Wire

/// The content of a zone's records, computed from the set of all effective operations, as plainly as possible.
///
/// Written from `docs/protocol/records.md` and from nothing else: it shares no rule with the replication core, keeps
/// no state, and compares all pairs instead of being clever. Where the two disagree, one of them is wrong.
package enum ReferenceModel {
    /// The records that exist.
    /// - Parameters:
    ///   - operations: Every effective operation, superseded ones included; each once, in any order.
    ///   - ends: For each log with two histories the place where they diverge.
    /// - Returns: The record for each tag that has one; deleted records are left out.
    /// - Complexity: O(n²) for each record.
    package static func records(
        of operations: [ReferenceOperation],
        ends: [ActorID: ReferenceFork] = [:]
    ) -> [RecordTag: ReferenceRecord] {
        Dictionary(grouping: operations, by: \.header.tag).compactMapValues { record(of: $0, ends: ends) }
    }

    /// One record.
    /// - Parameters:
    ///   - operations: The effective operations of the record, as for ``records(of:ends:)``.
    ///   - ends: For each log with two histories the place where they diverge.
    ///   - settles: Whether a type keeps only the shown value where several were written concurrently.
    /// - Returns: The record; `nil` when it is deleted or has no live operation.
    package static func record(
        of operations: [ReferenceOperation],
        ends: [ActorID: ReferenceFork] = [:],
        settles: (String) -> Bool = { _ in false }
    ) -> ReferenceRecord? {
        let live = live(operations)
        // An edit that had not seen the delete beats it.
        let parts = live.filter { !$0.body.isDeleted }.sorted { $0.dot < $1.dot }
        guard let first = parts.first else { return nil }
        var latest = first
        var oldest = first
        var vector: [ActorID: UInt64] = [:]
        for part in parts {
            if (part.header.time, part.dot) > (latest.header.time, latest.dot) { latest = part }
            if part.header.creation < oldest.header.creation { oldest = part }
            for dot in part.header.vector.entries { vector[dot.actor] = max(vector[dot.actor] ?? 0, dot.counter) }
        }
        var fields: [BytewiseString: [FieldEntry]] = [:]
        for name in Set(parts.flatMap(\.body.fields).map { BytewiseString($0.name) }) {
            var entries = values(of: name, in: parts, ends)
            // A conflict that one writer has seen and left in place remains until the record is written again.
            if live.count > 1, settles(latest.body.type), let shown = shown(entries) { entries = [shown] }
            if !entries.isEmpty { fields[name] = entries }
        }
        return ReferenceRecord(
            name: latest.body.name,
            type: latest.body.type,
            parent: latest.body.parent,
            creator: oldest.body.creator,
            modifier: latest.body.modifier,
            creation: oldest.header.creation,
            version: RecordVersion(VersionVector(vector)),
            fields: fields
        )
    }

    /// The operations that the author of no other operation had seen.
    package static func live(_ operations: [ReferenceOperation]) -> [ReferenceOperation] {
        operations.filter { operation in
            !operations.contains { $0.dot != operation.dot && $0.covers(operation) }
        }
    }

    // MARK: Fields

    /// The surviving values of a field, folded to one if all are counters or all are sets.
    private static func values(
        of name: BytewiseString,
        in parts: [ReferenceOperation],
        _ ends: [ActorID: ReferenceFork]
    ) -> [FieldEntry] {
        var surviving: [FieldEntry] = []
        for part in parts {
            for entry in entries(of: name, in: part) {
                let isDropped = parts.contains { other in
                    // Behind a fork it is unknown which of the two histories the author had seen.
                    !isBehind(entry.dot, ends) && other.hasSeen(entry.dot)
                        && !entries(of: name, in: other).contains { $0.dot == entry.dot }
                }
                if isDropped || surviving.contains(entry) { continue }
                surviving.append(entry)
            }
        }
        guard let shown = shown(surviving) else { return [] }
        if surviving.count > 1, let folded = folded(surviving, name: name, parts: parts, ends) {
            return [FieldEntry(dot: shown.dot, time: shown.time, value: folded)]
        }
        let ordered = surviving.sorted { isGreater($0, than: $1) }
        return ordered.prefix(Limits.fieldEntryCountMax).sorted { $0.orderKey < $1.orderKey }
    }

    private static func shown(_ entries: [FieldEntry]) -> FieldEntry? {
        entries.first { one in !entries.contains { isGreater($0, than: one) } }
    }

    /// Whether a write lies behind the place where its author's histories diverge.
    private static func isBehind(_ dot: Dot, _ ends: [ActorID: ReferenceFork]) -> Bool {
        dot.counter > ends[dot.actor]?.end ?? .max
    }

    private static func entries(of name: BytewiseString, in part: ReferenceOperation) -> [FieldEntry] {
        part.body.fields.first { BytewiseString($0.name) == name }?.entries ?? []
    }

    /// By time, then actor, then value hash.
    private static func isGreater(_ left: FieldEntry, than right: FieldEntry) -> Bool {
        if left.time != right.time { return left.time > right.time }
        if left.dot.actor != right.dot.actor { return left.dot.actor > right.dot.actor }
        if left.value != right.value {
            let hashes = [left, right].map { Hash(digesting: .valueHash, $0.value.encoded) }
            return hashes[0] > hashes[1]
        }
        return left.dot.counter > right.dot.counter
    }

    // MARK: Counters and sets

    private static func folded(
        _ entries: [FieldEntry],
        name: BytewiseString,
        parts: [ReferenceOperation],
        _ ends: [ActorID: ReferenceFork]
    ) -> FieldValue? {
        let counters = entries.compactMap { if case .counter(let state) = $0.value { state } else { nil } }
        if counters.count == entries.count { return .counter(sum(counters, ends)) }
        let sets = entries.compactMap { if case .set(let state) = $0.value { state } else { nil } }
        return sets.count == entries.count ? .set(union(sets, name: name, parts: parts, ends)) : nil
    }

    /// The total stated by the newest write of each actor.
    ///
    /// Once the operations behind a fork are restated, only the restatement of them is effective, and the part that a
    /// checkpoint covers.
    private static func sum(_ states: [CounterState], _ ends: [ActorID: ReferenceFork]) -> CounterState {
        var newest: [ActorID: CounterState.Entry] = [:]
        let all = states.flatMap(\.entries)
        let isRestated = all.contains(where: \.isRestated)
        for entry in all where !isRestated || entry.counter <= ends[entry.actor]?.covered ?? .max {
            guard let held = newest[entry.actor] else {
                newest[entry.actor] = entry
                continue
            }
            if (entry.counter, entry.total) > (held.counter, held.total) { newest[entry.actor] = entry }
        }
        return CounterState(entries: Array(newest.values))
    }

    /// Every addition that no author that had seen it removed.
    private static func union(
        _ states: [SetState],
        name: BytewiseString,
        parts: [ReferenceOperation],
        _ ends: [ActorID: ReferenceFork]
    ) -> SetState {
        var kept: [FieldValue: Set<Dot>] = [:]
        for entry in states.flatMap(\.entries) {
            for dot in entry.dots {
                let isTakenAway = parts.contains { part in
                    !isBehind(dot, ends) && part.hasSeen(dot)
                        && !carries(part, element: entry.element, dot: dot, name: name)
                }
                if !isTakenAway { kept[entry.element, default: []].insert(dot) }
            }
        }
        return SetState(entries: kept.map { SetState.Entry(element: $0.key, dots: Array($0.value)) })
    }

    private static func carries(
        _ part: ReferenceOperation,
        element: FieldValue,
        dot: Dot,
        name: BytewiseString
    ) -> Bool {
        entries(of: name, in: part).contains { entry in
            guard case .set(let state) = entry.value else { return false }
            return state.entries.contains { $0.element == element && $0.dots.contains(dot) }
        }
    }
}
