import Records
import Sync
import Wire

extension RecordWrite {
    /// The type of a record without a given type.
    static let typeDefault = "Record"

    init(_ change: RecordChange) throws(NodeError) {
        // A record from a peer, under a name that no program here may give, can still be deleted.
        if !change.isDeletion { try NameRule.check(change.name, "a record's name") }
        if let type = change.type, ReservedType.isReserved(type), !change.isDeletion {
            throw NodeError(
                .invalidArgument,
                "Records of types that begin with \"\(ReservedType.prefix)\" are written by the daemon alone.",
                fix: "Choose another type; `kairan send` writes messages."
            )
        }
        var version: RecordVersion?
        if let text = change.ifVersion, !text.isEmpty {
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
            name: change.name,
            type: change.type,
            set: change.fields.map { FieldAssignment(field: $0.name, value: $0.value) },
            remove: change.removed,
            increments: change.increments.map { CounterIncrement(field: $0.name, amount: $0.amount) },
            insertions: change.insertions.map { SetElements(field: $0.name, values: $0.elements) },
            withdrawals: change.withdrawals.map { SetElements(field: $0.name, values: $0.elements) },
            replaceAll: change.replacesAll,
            delete: change.isDeletion,
            ifVersion: version,
            ifAbsent: change.ifVersion == "",
            parent: change.parent
        )
    }
}
