import Records
import Sync
import Wire

extension RecordWrite {
    /// The type of a record without a given type.
    static let typeDefault = "Record"

    init(_ draft: RecordDraft) throws(NodeError) {
        // A record from a peer, under a name that no program here may give, can still be deleted.
        if !draft.isDeletion { try NameRule.check(draft.name, "a record's name") }
        if let type = draft.type, ReservedType.isReserved(type), !draft.isDeletion {
            throw NodeError(
                .invalidArgument,
                "Records of types that begin with \"\(ReservedType.prefix)\" are written by the daemon alone.",
                fix: "Choose another type; `kairan send` writes messages."
            )
        }
        var version: RecordVersion?
        if let text = draft.ifVersion, !text.isEmpty {
            guard let parsed = RecordVersion(text: text) else {
                throw NodeError(
                    .invalidArgument,
                    "\"\(text)\" is not a version.",
                    fix: "Use the `version` that `kairan get` prints."
                )
            }
            version = parsed
        }
        self.init(
            name: draft.name,
            type: draft.type,
            set: draft.fields.map { FieldAssignment(field: $0.name, value: $0.value) },
            remove: draft.removed,
            increments: draft.increments.map { CounterIncrement(field: $0.name, amount: $0.amount) },
            insertions: draft.insertions.map { SetElements(field: $0.name, values: $0.elements) },
            withdrawals: draft.withdrawals.map { SetElements(field: $0.name, values: $0.elements) },
            replaceAll: draft.replacesAll,
            delete: draft.isDeletion,
            ifVersion: version,
            ifAbsent: draft.ifVersion == "",
            parent: draft.parent
        )
    }
}
