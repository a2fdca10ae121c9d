import Records
import Sync
import Wire

/// Answers requests about records whose concurrent writes disagree.
struct ConflictRequests: ConflictAPI {
    /// Conflicts shown at once; there are rarely more than a handful.
    private static let countMax = 1_000

    let store: CallerStore
    let writes: ProgramWrites

    func open(zone reference: String?) async throws(NodeError) -> [ConflictView] {
        try await store.read { transaction in
            var found: [RecordRow] = []
            // Zone by zone, so that conflicts in other callers' zones take no place from this caller's.
            for zone in try store.zones.ids(of: reference, in: transaction) where found.count < Self.countMax {
                found += try transaction.conflictedRecords(zone: zone, limit: Self.countMax - found.count)
            }
            return try found.map { try ConflictView(RecordConflict($0, in: transaction), of: $0) }
        }
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
