package import Wire

extension Schema {
    /// Finds the parts of an operation that this schema does not allow.
    ///
    /// Checks the values that the operation itself writes, which have its dot, and whether the required fields are
    /// present. Values that other authors wrote and the operation only carries on are theirs. A deletion breaks
    /// nothing, nor do records that daemons write by themselves.
    /// - Parameters:
    ///   - body: The operation's body.
    ///   - dot: The operation.
    /// - Returns: The violations, by field; empty when the operation is allowed.
    /// - Complexity: O(size of the body).
    package func violations(of body: RecordBody, by dot: Dot) -> [SchemaViolation] {
        guard !body.isDeleted, !ReservedType.isReserved(body.type) else { return [] }
        guard let type = type(named: body.type) else {
            let declared = types.map(\.name.string).inRow
            return [
                SchemaViolation(
                    field: nil,
                    rule: .undeclaredType,
                    found: "nothing",
                    type: body.type,
                    allowed: declared
                )
            ]
        }
        var violations: [SchemaViolation] = []
        for field in body.fields {
            let own = field.entries.filter { $0.dot == dot }
            guard !own.isEmpty else { continue }
            guard let declared = type.field(named: field.name) else {
                let fields = type.fields.map(\.name.string).inRow
                violations += own.map { $0.value.violation(.undeclaredField, field.name, type: body.type, fields) }
                continue
            }
            violations += own.flatMap { declared.violations(of: $0.value, type: body.type) }
        }
        for field in type.fields where field.isRequired {
            let values = body.field(named: field.name.string)?.entries.map(\.value) ?? []
            guard values.allSatisfy({ $0 == .null }) else { continue }
            violations.append(
                SchemaViolation(
                    field: field.name.string,
                    rule: .required,
                    found: "nothing",
                    type: body.type,
                    allowed: field.kind.name
                )
            )
        }
        return violations.inFieldOrder
    }
}

extension FieldSchema {
    /// The rules that a value breaks; null breaks none, unless the field is required.
    fileprivate func violations(of value: FieldValue, type: String) -> [SchemaViolation] {
        if value == .null { return [] }
        func violation(_ rule: SchemaViolation.Rule, _ allowed: String?) -> SchemaViolation {
            value.violation(rule, name.string, type: type, allowed)
        }
        guard value.tag == kind.tag else { return [violation(.kind, kind.name)] }
        var violations: [SchemaViolation] = []
        if let element, value.elements.contains(where: { $0.tag != element.tag }) {
            violations.append(violation(.element, element.name))
        }
        if let minimum, value.isBelow(minimum) { violations.append(violation(.minimum, minimum.boundText)) }
        // A value that is not a number lies within no bounds.
        let isOutside = value.isNaN && (minimum != nil || maximum != nil)
        if isOutside || maximum.map({ $0.isBelow(value) }) ?? false {
            violations.append(violation(.maximum, maximum?.boundText))
        }
        if let length = value.length {
            if let lengthMinimum, length < lengthMinimum {
                violations.append(violation(.lengthMinimum, "\(lengthMinimum)"))
            }
            if let lengthMaximum, length > lengthMaximum {
                violations.append(violation(.lengthMaximum, "\(lengthMaximum)"))
            }
        }
        if !values.isEmpty, !values.contains(value) {
            violations.append(violation(.values, values.compactMap(\.boundText).inRow))
        }
        return violations
    }
}

extension [String] {
    /// The maximum number of allowed names or values that a violation lists.
    private static let saidCountMax = 12

    /// The first of them in a row.
    fileprivate var inRow: String {
        prefix(Self.saidCountMax).joined(separator: ", ") + (count > Self.saidCountMax ? ", …" : "")
    }
}

extension [SchemaViolation] {
    /// By field and rule, each once.
    fileprivate var inFieldOrder: [SchemaViolation] {
        let sorted = sorted { left, right in
            let (first, second) = (BytewiseString(left.field ?? ""), BytewiseString(right.field ?? ""))
            if first != second { return first < second }
            return left.rule == right.rule ? left.found < right.found : left.rule.rawValue < right.rule.rawValue
        }
        return sorted.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}

extension FieldValue {
    /// The elements of a list or set.
    fileprivate var elements: [FieldValue] {
        switch self {
        case .list(let values): values
        case .set(let state): state.entries.map(\.element)
        default: []
        }
    }

    /// Its length: in Unicode scalars, bytes or items.
    fileprivate var length: UInt64? {
        switch self {
        case .string(let text): UInt64(text.unicodeScalars.count)
        case .bytes(let bytes): UInt64(bytes.count)
        case .list(let values): UInt64(values.count)
        case .set(let state): UInt64(state.entries.count)
        default: nil
        }
    }

    /// A bound, or an allowed value, as a schema states it; `nil` for a value that is neither.
    fileprivate var boundText: String? {
        switch self {
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .date(let milliseconds): "\(milliseconds) ms"
        case .string(let text): "\"\(text)\""
        default: nil
        }
    }

    fileprivate func violation(
        _ rule: SchemaViolation.Rule,
        _ field: String,
        type: String,
        _ allowed: String?
    ) -> SchemaViolation {
        let kind = FieldKind(of: self)?.name ?? "null"
        let found = length.map { "\(kind) of \($0)" } ?? kind
        return SchemaViolation(field: field, rule: rule, found: found, type: type, allowed: allowed)
    }
}
