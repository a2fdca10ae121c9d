import Records
import Sync
import Wire

// The writes that applications request.
extension Workload {
    /// The type of all records.
    static let type = "note"
    /// Fields that hold text.
    static let textFields = ["title", "body", "place"]
    /// A field that is a counter.
    static let counterField = "count"
    /// A field that is a set.
    static let setField = "tags"

    /// Returns a new value.
    func makeMark() -> String {
        markCount += 1
        let padding = random.chance(0.03) ? random.index(below: 4_000) : random.index(below: 24)
        return "w\(markCount)" + String(repeating: ".", count: padding)
    }

    /// Draws a request for a zone as its node shows it now.
    func makeRequest(zone: ZoneID, store: MemoryStore) throws -> WriteRequest {
        switch random.index(below: 100) {
        case 0..<10:
            // Different records: a transaction must affect all of them or none.
            var names = (0..<options.recordCount).map { "r\($0)" }
            let count = min(names.count, 2 + random.index(below: 3))
            let chosen = (0..<count).map { _ in names.remove(at: random.index(below: names.count)) }
            return WriteRequest(chosen.map { mixed($0) }, isAtomic: true)
        case 10..<13:
            // One write is refused, so no part of the request may be visible.
            let good = RecordWrite(name: makeName(), type: Self.type, set: [assignment()])
            let bad = RecordWrite(name: "never", delete: true)
            return WriteRequest(random.chance(0.5) ? [good, bad] : [bad, good], isAtomic: true)
        case 13..<17:
            let names = (0..<(1 + random.index(below: 4))).map { _ in makeName() }
            return WriteRequest(try names.map { try makeWrite($0, zone: zone, store: store) }, isAtomic: false)
        default:
            return WriteRequest([try makeWrite(makeName(), zone: zone, store: store)])
        }
    }

    func makeName() -> String { "r\(random.index(below: max(options.recordCount, 1)))" }

    private func assignment(_ field: String? = nil) -> FieldAssignment {
        let field = field ?? random.element(of: Self.textFields) ?? "title"
        return FieldAssignment(field: field, value: .string(makeMark()))
    }

    private func mixed(_ name: String) -> RecordWrite {
        RecordWrite(name: name, type: Self.type, set: [assignment()])
    }

    private func makeWrite(_ name: String, zone: ZoneID, store: MemoryStore) throws -> RecordWrite {
        let tag = try RecordTag(of: name, zone: zone, in: store)
        let row = try store.record(zone: zone, tag: tag)
        let existing = row.flatMap { $0.isDeleted ? nil : $0 }
        switch WriteKind.drawn(using: &random) {
        case .set:
            let first = assignment()
            let second = random.chance(0.3) ? assignment() : nil
            let both = second.map { $0.field == first.field ? [first] : [first, $0] } ?? [first]
            return RecordWrite(name: name, type: Self.type, set: both)
        case .delete:
            return RecordWrite(name: name, delete: true)
        case .replace:
            return RecordWrite(name: name, type: Self.type, set: [assignment("title")], replaceAll: true)
        case .conditional:
            return RecordWrite(name: name, type: Self.type, set: [assignment()], ifVersion: existing?.version)
        case .create:
            return RecordWrite(name: name, type: Self.type, set: [assignment()], ifAbsent: true)
        case .resolve:
            return try resolution(name, zone: zone, store: store)
        case .remove:
            let field = random.element(of: Self.textFields) ?? "title"
            return RecordWrite(name: name, type: Self.type, remove: [field])
        case .increment:
            let amount = Int64(random.index(below: 9)) - 2
            return RecordWrite(
                name: name,
                type: Self.type,
                increments: [CounterIncrement(field: Self.counterField, amount: amount)]
            )
        case .insert:
            let elements = SetElements(field: Self.setField, values: [.string(makeMark())])
            return RecordWrite(name: name, type: Self.type, insertions: [elements])
        case .withdraw:
            return try withdrawal(name, existing)
        }
    }

    /// Resolves an existing conflict, or one that may be invisible here.
    func resolution(_ name: String, zone: ZoneID, store: MemoryStore) throws -> RecordWrite {
        let conflicted = try store.conflictedRecords(zone: zone, limit: 8)
        let row = random.element(of: conflicted)
        let field = try row?.content().conflictFields.first
        return RecordWrite(name: row?.name ?? name, type: Self.type, set: [assignment(field)], resolve: true)
    }

    private func withdrawal(_ name: String, _ existing: RecordRow?) throws -> RecordWrite {
        var held: [FieldValue] = []
        if let field = try existing?.content().field(named: Self.setField) {
            for case .set(let state) in field.entries.map(\.value) { held += state.entries.map(\.element) }
        }
        guard let element = random.element(of: held) else {
            return RecordWrite(name: name, type: Self.type, set: [assignment()])
        }
        let elements = SetElements(field: Self.setField, values: [element])
        return RecordWrite(name: name, type: Self.type, withdrawals: [elements])
    }
}
