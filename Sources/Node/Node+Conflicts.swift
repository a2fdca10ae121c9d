import Records
import Sync
import Wire

extension Node {
    /// Conflicts shown at once; there are rarely more than a handful.
    private static let conflictCountMax = 1_000

    /// See `NodeAPI`.
    package func conflicts(zone reference: String?) async throws(NodeError) -> [ConflictView] {
        try await reading { [self] transaction in
            let zones = try reference.map { [try row(of: $0, in: transaction).id] } ?? shownZones(transaction).sorted()
            var found: [RecordRow] = []
            // Zone by zone, so that conflicts in other callers' zones take no place from this caller's.
            for zone in zones where found.count < Self.conflictCountMax {
                found += try transaction.conflictedRecords(zone: zone, limit: Self.conflictCountMax - found.count)
            }
            return try found.map { try Self.conflict($0, in: transaction) }
        }
    }

    /// See `NodeAPI`.
    package func resolve(
        zone reference: String,
        name: String,
        with resolution: ConflictResolution
    ) async throws(NodeError) -> RecordView {
        let outcome: WriteOutcome = try await writing { [self] transaction in
            let zone = try row(of: reference, in: transaction).id
            let record = try Self.record(name, zone: zone, in: transaction)
            let body = try record.content()
            guard !body.conflictFields.isEmpty || record.isLocked else {
                throw NodeError(.conflictUnknown, "\"\(name)\" has no conflict.", fix: "`kairan conflicts` lists them.")
            }
            var write = RecordWrite(name: name, resolve: true)
            switch resolution {
            case .fields(let fields):
                write.set = fields.map { FieldAssignment(field: $0.name, value: $0.value) }
                write.replaceAll = true
                // A caller that names all fields has determined the whole record, whatever it holds.
                write.replaceUnread = true
            case .take(let version):
                let sides = Self.sides(of: body)
                guard let side = sides.first(where: { $0.dot.siblingText == version }) else {
                    throw NodeError(
                        .conflictUnknown,
                        "\"\(name)\" has no side \"\(version)\".",
                        fix: "`kairan conflicts` lists the sides.",
                        facts: [.sides(sides.map(\.dot.siblingText))]
                    )
                }
                write.set = side.values.map { FieldAssignment(field: $0.name, value: $0.value) }
            }
            if try GuestWrites(replica.committer).needsHost([write], zone: zone, in: transaction) {
                return try replica.question([write], zone: zone, in: transaction)
            }
            return try withinLimit(zone: zone, in: &transaction) { [write] in
                try replica.write([write], zone: zone, isAtomic: true, in: &$0)
            }
        }
        let results =
            switch outcome {
            case .written(let results): results
            case .asked(let question): try await ask(question, isAtomic: true)
            }
        guard let result = results.first else {
            throw NodeError(.internalError, "The write has no result.", fix: "Report this.")
        }
        return try result.get()
    }

    /// One side of a conflict: the conflicting values that one operation wrote.
    private struct Side {
        var dot: Dot
        var values: [(name: String, value: FieldValue)]
    }

    /// The sides of a record, the one shown by reading first.
    private static func sides(of body: RecordBody) -> [Side] {
        var values: [Dot: [(name: String, value: FieldValue)]] = [:]
        var shown: Set<Dot> = []
        for field in body.fields where field.hasConflict {
            for entry in field.entries { values[entry.dot, default: []].append((field.name, entry.value)) }
            if let winner = field.winner { shown.insert(winner.dot) }
        }
        return values.map { Side(dot: $0.key, values: $0.value) }.sorted { left, right in
            let (first, second) = (shown.contains(left.dot), shown.contains(right.dot))
            return first == second ? left.dot < right.dot : first
        }
    }

    private static func conflict(_ row: RecordRow, in transaction: any NodeTransaction) throws -> ConflictView {
        let body = try row.content()
        let operations = try transaction.operations(
            zone: row.zone,
            tags: [row.tag],
            states: [.live, .superseded]
        )
        let authors = Dictionary(
            try operations.compactMap { operation in
                try transaction.opened(operation, zone: row.zone).map { (operation.dot, $0.body.modifier) }
            }
        ) { first, _ in first }
        let sides = sides(of: body)
        let siblings = sides.map { side in
            // Fields that the sides agree on belong to each of them.
            let own = Dictionary(side.values.map { ($0.name, $0.value) }) { first, _ in first }
            return SiblingView(
                version: side.dot.siblingText,
                by: authors[side.dot] ?? body.modifier,
                fields: body.shownFields.map { ($0.name, own[$0.name] ?? $0.value) }
            )
        }
        return ConflictView(
            zone: row.zone,
            name: row.name,
            siblings: siblings,
            ancestor: try ancestor(of: sides.map(\.dot), among: operations, zone: row.zone, in: transaction)
        )
    }

    /// The newest operation still held that every side had seen.
    private static func ancestor(
        of dots: [Dot],
        among operations: [StoredOperation],
        zone: ZoneID,
        in transaction: any NodeTransaction
    ) throws -> SiblingView? {
        let sides = operations.filter { dots.contains($0.dot) }.map(\.operation.header.vector)
        guard sides.count == dots.count else { return nil }
        let shared = operations.filter { candidate in
            !dots.contains(candidate.dot) && sides.allSatisfy { $0.covers(candidate.dot) }
        }
        guard let newest = shared.max(by: { ($0.operation.header.time, $0.dot) < ($1.operation.header.time, $1.dot) })
        else { return nil }
        guard let body = try transaction.opened(newest, zone: zone)?.body else { return nil }
        return SiblingView(version: newest.dot.siblingText, by: body.modifier, fields: body.shownFields)
    }
}
