package import Records
package import Wire

extension GuestResult.Refusal {
    /// Makes a guest's refusal from that of the store.
    package init(_ refusal: WriteRefusal) {
        switch refusal {
        case .versionMismatch(let current): self = .versionMismatch(current: current?.bytes)
        case .alreadyExists(let current): self = .alreadyExists(current: current.bytes)
        case .notFound: self = .notFound
        case .typeMissing: self = .typeMissing
        case .typeMismatch(let current): self = .typeMismatch(current: current)
        case .wrongKind(let field): self = .wrongKind(field: field)
        case .ambiguousField(let field): self = .ambiguousField(field)
        case .invalid: self = .invalid
        case .tooLarge(let byteCount, _): self = .tooLarge(byteCount: UInt64(clamping: byteCount))
        // A guest must not learn which records a member cannot read.
        case .notAllowed, .followerNotAllowed, .notReadable: self = .notAllowed
        case .schemaViolation(let violations):
            self = .schemaViolation(
                violations.prefix(Limits.guestViolationCountMax).map {
                    GuestViolation(field: $0.field ?? "", rule: $0.rule.rawValue, found: $0.found)
                }
            )
        case .tooManyActors, .logFull: self = .tooManyActors
        case .batchTooLarge, .tooManyFollowers: self = .batchTooLarge
        case .batchRefused(let index): self = .batchRefused(index: UInt64(clamping: index))
        }
    }
}

extension WriteRefusal {
    /// Makes the refusal of a guest's write as if the write had been refused here.
    package init(_ refusal: GuestResult.Refusal) {
        switch refusal {
        case .versionMismatch(let current): self = .versionMismatch(current: current.flatMap { RecordVersion($0) })
        case .alreadyExists(let current):
            // It has 16 bytes, or it would not have been decoded.
            self = RecordVersion(current).map { .alreadyExists(current: $0) } ?? .versionMismatch(current: nil)
        case .notFound: self = .notFound
        case .typeMissing: self = .typeMissing
        case .typeMismatch(let current): self = .typeMismatch(current: current)
        case .wrongKind(let field): self = .wrongKind(field: field)
        case .ambiguousField(let field): self = .ambiguousField(field)
        case .invalid: self = .invalid(.invalidValue("a value of the record"))
        case .tooLarge(let byteCount):
            self = .tooLarge(byteCount: Int(clamping: byteCount), limit: ReplicaLimits.recordByteCountMax)
        case .notAllowed: self = .notAllowed
        case .schemaViolation(let violations):
            self = .schemaViolation(
                violations.compactMap { violation in
                    SchemaViolation.Rule(rawValue: violation.rule).map { rule in
                        let field = violation.field.isEmpty ? nil : violation.field
                        return SchemaViolation(field: field, rule: rule, found: violation.found)
                    }
                }
            )
        case .tooManyActors: self = .tooManyActors
        case .batchTooLarge: self = .batchTooLarge
        case .batchRefused(let index): self = .batchRefused(index: Int(clamping: index))
        }
    }
}
