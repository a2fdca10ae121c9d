import Records
import Sync
import Wire

/// Answers requests about records whose concurrent writes disagree.
struct ConflictRequests: ConflictAPI {
    /// The records that are read from the store at once.
    private static let stepCount = 32

    let store: CallerStore
    let writes: ProgramWrites

    func open(
        zone reference: String?,
        name: String?,
        after cursor: String?,
        limit: Int
    ) async throws(NodeError) -> ConflictViewPage {
        try ArgumentRule.check(limit: limit, of: 1_000)
        return try await store.read { transaction in
            // Zone by zone, so that conflicts in other callers' zones take no place from this caller's.
            let zones = try store.zones.ids(of: reference, in: transaction)
            let start = try cursor.map { try ConflictCursor($0) }
            if let name { return try Self.page(of: name, in: zones, after: start, limit: limit, transaction) }
            let (rows, next) = try Self.rows(in: zones, after: start, limit: limit, transaction)
            let conflicts = try rows.map { try ConflictView(RecordConflict($0, in: transaction), of: $0) }
            return ConflictViewPage(conflicts: conflicts, cursor: next?.text)
        }
    }

    /// The records of a page.
    /// - Parameters:
    ///   - zones: The zones, ascending.
    ///   - start: The record behind which the page begins; `nil` from the beginning.
    ///   - limit: The maximum number of records.
    ///   - transaction: The store.
    /// - Returns: The records, and the last of them where more follow.
    /// - Throws: `StorageError`.
    static func rows(
        in zones: [ZoneID],
        after start: ConflictCursor?,
        limit: Int,
        _ transaction: any NodeTransaction
    ) throws -> (rows: [RecordRow], next: ConflictCursor?) {
        var rows: [RecordRow] = []
        var budget = AnswerBudget()
        var last: ConflictCursor?
        for zone in zones where start.map({ zone >= $0.zone }) ?? true {
            var after = start.flatMap { $0.zone == zone ? $0.tag : nil }
            while true {
                let step =
                    try after.map { try transaction.conflictedRecords(zone: zone, after: $0, limit: stepCount) }
                    ?? transaction.conflictedRecords(zone: zone, limit: stepCount)
                for row in step {
                    guard rows.count < limit, budget.takes(row.body.count) || rows.isEmpty else { return (rows, last) }
                    rows.append(row)
                    last = ConflictCursor(zone: zone, tag: row.tag)
                    after = row.tag
                }
                guard step.count == stepCount else { break }
            }
        }
        return (rows, nil)
    }

    /// A page of the records of one name, one in each zone.
    private static func page(
        of name: String,
        in zones: [ZoneID],
        after start: ConflictCursor?,
        limit: Int,
        _ transaction: any NodeTransaction
    ) throws -> ConflictViewPage {
        var conflicts: [ConflictView] = []
        var budget = AnswerBudget()
        var last: ConflictCursor?
        for zone in zones where start.map({ zone > $0.zone }) ?? true {
            let tag = try RecordTag(of: name, zone: zone, in: transaction)
            guard let row = try transaction.record(zone: zone, tag: tag), !row.isDeleted,
                !ReservedType.isReserved(row.type), try !row.content().conflictFields.isEmpty
            else { continue }
            guard conflicts.count < limit, budget.takes(row.body.count) || conflicts.isEmpty else {
                return ConflictViewPage(conflicts: conflicts, cursor: last?.text)
            }
            conflicts.append(try ConflictView(RecordConflict(row, in: transaction), of: row))
            last = ConflictCursor(zone: zone, tag: tag)
        }
        return ConflictViewPage(conflicts: conflicts, cursor: nil)
    }

    func resolve(
        zone reference: String,
        name: String,
        with resolution: ConflictResolution
    ) async throws(NodeError) -> RecordView {
        let results = try await writes.perform(in: reference, isAtomic: true, isGrowing: false) { zone, transaction in
            [try Self.write(name, with: resolution, zone: zone, in: transaction)]
        }
        guard let result = results.first else {
            throw NodeError(.internalError, "The write has no result.", fix: "Report this.")
        }
        return try result.get()
    }

    /// The write by which a record has no conflict any more.
    private static func write(
        _ name: String,
        with resolution: ConflictResolution,
        zone: ZoneID,
        in transaction: any NodeTransaction
    ) throws -> RecordWrite {
        let record = try RecordRow.shown(name, zone: zone, in: transaction)
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
            let sides = body.conflictSides
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
        return write
    }
}

extension ConflictView {
    fileprivate init(_ conflict: RecordConflict, of row: RecordRow) {
        let siblings = conflict.sides.map { side in
            // Fields that the sides agree on belong to each of them.
            let own = Dictionary(side.values.map { ($0.name, $0.value) }) { first, _ in first }
            return SiblingView(
                version: side.dot.siblingText,
                by: conflict.authors[side.dot] ?? conflict.body.modifier,
                fields: conflict.body.shownFields.map { ($0.name, own[$0.name] ?? $0.value) }
            )
        }
        self.init(
            zone: row.zone,
            name: row.name,
            siblings: siblings,
            ancestor: conflict.ancestor.map { ancestor in
                SiblingView(
                    version: ancestor.dot.siblingText,
                    by: ancestor.body.modifier,
                    fields: ancestor.body.shownFields
                )
            }
        )
    }
}
