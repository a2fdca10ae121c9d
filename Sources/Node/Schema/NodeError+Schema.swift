import Records
import Sync
import Wire

extension NodeError {
    /// The error of a write that breaks the schema in force: all violations at once, without the values.
    init(_ violations: [SchemaViolation], record: String) {
        self.init(
            .schemaViolation,
            "\"\(record)\" does not fit its schema: \(violations.map(\.sentence).joined(separator: "; ")).",
            fix:
                "Correct the record, or promote a schema that allows it; `kairan schema show` with the container prints the schema in force.",
            facts: [.record(record), .violations(violations.map { SchemaViolationStatus($0) })]
        )
    }

    /// The error of a schema that is neither declared nor promoted.
    init(_ refusal: SchemaRefusal) {
        switch refusal {
        case .notAdditive(let differences):
            let all = differences.map(\.text).joined(separator: "; ")
            self.init(
                .schemaNotAdditive,
                "Production can only be extended; refused are: \(all).",
                fix: "Revert these in development, or use new names for the changed types and fields.",
                facts: [.differences(differences.map { SchemaDifferenceStatus($0) })]
            )
        case .tooLarge(.tooLong):
            self.init(
                .schemaTooLarge,
                "The schema is too large: it has at most \(Limits.schemaTypeCountMax) types,"
                    + " \(Limits.schemaFieldCountMax) fields a type and \(Limits.schemaByteCountMax) bytes encoded.",
                fix: "Declare less."
            )
        case .tooLarge(let error):
            self.init(
                .invalidArgument,
                "This is not a schema: \(error).",
                fix: "See /usr/share/doc/kairan/docs/api/schema.md for the format."
            )
        case .nothing:
            self.init(
                .schemaUnknown,
                "The container has no schema yet.",
                fix: "Write records, or declare one with `kairan schema set`."
            )
        }
    }
}

extension SchemaDifference {
    /// The place and the change, for people.
    var text: String {
        let place = [type, field].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ".")
        return "\(place.isEmpty ? "the schema" : place): \(aspect.rawValue) \(change.rawValue)"
    }

    /// The reason for the refusal; nil for an additive difference.
    var refusal: String? {
        guard !isAdditive else { return nil }
        return switch (aspect, change) {
        case (.type, _), (.field, _): "a type or field in production cannot be removed or renamed: records may have it"
        case (.kind, _): "records have values of the old kind"
        case (.required, _): "records may be without it"
        case (.index, _): "queries may rely on it"
        case (.unknown, _): "a later version wrote it, and this one does not know its meaning"
        default: "records may have values that would no longer be allowed"
        }
    }
}
