import Records
import ReplicaBehaviour
import Wire

/// The records of a zone, computed the slow and obvious way from all operations at once.
///
/// Written without a look at the merge: pairwise coverage instead of contexts, nested loops instead of sorting.
struct NaiveReplica {
    struct Field: Equatable {
        var shown: FieldValue
        var surviving: Int
    }

    /// Each undeleted record's fields.
    var records: [String: [String: Field]] = [:]

    init(_ replica: MemoryReplica) throws {
        var operations: [Sibling] = []
        for log in try replica.logs(zone: TestZone.id) where log.key.lane == .data {
            for item in try replica.items(log.key, from: 0, to: log.size) {
                guard case .operation(let stored) = item.content else { continue }
                let body = try RecordBody(decoding: stored.operation.body)
                operations.append(Sibling(actor: log.key.actor, header: stored.operation.header, body: body))
            }
        }
        for name in Set(operations.map(\.body.name)) {
            let all = operations.filter { $0.body.name == name }
            let live = all.filter { old in !all.contains { $0.dot != old.dot && $0.vector.covers(old.dot) } }
            let editing = live.filter { !$0.body.isDeleted }
            if editing.isEmpty { continue }
            var fields: [String: Field] = [:]
            for field in Set(editing.flatMap { $0.body.fields.map(\.name) }) {
                fields[field] = Self.field(field, editing)
            }
            records[name] = fields
        }
    }

    private static func field(_ name: String, _ siblings: [Sibling]) -> Field? {
        func entries(_ sibling: Sibling) -> [FieldEntry] { sibling.body.field(named: name)?.entries ?? [] }
        var kept: [FieldEntry] = []
        for entry in siblings.flatMap(entries) where !kept.contains(entry) {
            let isGone = siblings.contains { other in
                other.vector.covers(entry.dot) && !entries(other).contains { $0.dot == entry.dot }
            }
            if !isGone { kept.append(entry) }
        }
        if kept.isEmpty { return nil }
        if kept.count > 1, kept.allSatisfy({ if case .counter = $0.value { true } else { false } }) {
            return Field(shown: .counter(sum(kept)), surviving: 1)
        }
        if kept.count > 1, kept.allSatisfy({ if case .set = $0.value { true } else { false } }) {
            return Field(shown: .set(union(kept, siblings, entries)), surviving: 1)
        }
        // Times are unique for each actor, so clock and actor decide.
        let shown = kept.sorted { ($0.time, $0.dot.actor) < ($1.time, $1.dot.actor) }[kept.count - 1]
        return Field(shown: shown.value, surviving: kept.count)
    }

    private static func sum(_ kept: [FieldEntry]) -> CounterState {
        var newest: [ActorID: CounterState.Entry] = [:]
        for entry in kept {
            guard case .counter(let state) = entry.value else { continue }
            for part in state.entries where part.counter > newest[part.actor]?.counter ?? 0 {
                newest[part.actor] = part
            }
        }
        return CounterState(entries: Array(newest.values))
    }

    private static func union(
        _ kept: [FieldEntry],
        _ siblings: [Sibling],
        _ entries: (Sibling) -> [FieldEntry]
    ) -> SetState {
        func has(_ entry: FieldEntry, _ element: FieldValue, _ dot: Dot) -> Bool {
            guard case .set(let state) = entry.value else { return false }
            return state.entries.contains { $0.element == element && $0.dots.contains(dot) }
        }
        var elements: [FieldValue: Set<Dot>] = [:]
        for entry in kept {
            guard case .set(let state) = entry.value else { continue }
            for part in state.entries {
                for dot in part.dots {
                    let isRemoved = siblings.contains { sibling in
                        sibling.vector.covers(dot) && !entries(sibling).contains { has($0, part.element, dot) }
                    }
                    if !isRemoved { elements[part.element, default: []].insert(dot) }
                }
            }
        }
        return SetState(entries: elements.map { SetState.Entry(element: $0.key, dots: Array($0.value)) })
    }
}

extension MemoryReplica {
    /// The visible records in the naive model's form.
    func visible() throws -> [String: [String: NaiveReplica.Field]] {
        var records: [String: [String: NaiveReplica.Field]] = [:]
        for row in allRecords(zone: TestZone.id) where !row.isDeleted {
            var fields: [String: NaiveReplica.Field] = [:]
            for field in try row.content().fields {
                fields[field.name] = field.winner.map { .init(shown: $0.value, surviving: field.entries.count) }
            }
            records[row.name] = fields
        }
        return records
    }
}
