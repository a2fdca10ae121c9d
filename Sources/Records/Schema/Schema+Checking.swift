package import Wire

extension Schema {
    /// What an operation says and this schema does not allow.
    ///
    /// Looked at are the values that the operation itself writes, which have its dot, and whether what has to be there is
    /// there: what others wrote and it only carries on is theirs. A deletion breaks nothing, nor does what daemons write by
    /// themselves.
    /// - Parameters:
    ///   - body: The operation's body.
    ///   - dot: The operation.
    /// - Returns: What it breaks, by field; empty when it is allowed.
    /// - Complexity: O(size of the body).
    package func violations(of body: RecordBody, by dot: Dot) -> [SchemaViolation] {
        guard !body.isDeleted, !ReservedType.isReserved(body.type) else { return [] }
        guard let type = type(named: body.type) else {
            return [SchemaViolation(field: nil, rule: .undeclaredType, found: "nothing")]
        }
        var violations: [SchemaViolation] = []
        for field in body.fields {
            let own = field.entries.filter { $0.dot == dot }
            guard !own.isEmpty else { continue }
            guard let declared = type.field(named: field.name) else {
                violations += own.map { $0.value.violation(.undeclaredField, field.name) }
                continue
            }
            violations += own.flatMap { declared.violations(of: $0.value) }
        }
        for field in type.fields where field.isRequired {
            let values = body.field(named: field.name.string)?.entries.map(\.value) ?? []
            guard values.allSatisfy({ $0 == .null }) else { continue }
            violations.append(SchemaViolation(field: field.name.string, rule: .required, found: "nothing"))
        }
        return violations.inFieldOrder
    }
}

extension FieldSchema {
    /// What a value breaks; nothing is broken by null, unless the field has to be there.
    fileprivate func violations(of value: FieldValue) -> [SchemaViolation] {
        if value == .null { return [] }
        let name = name.string
        guard value.tag == kind.tag else { return [value.violation(.kind, name)] }
        var rules: [SchemaViolation.Rule] = []
        if let element, value.elements.contains(where: { $0.tag != element.tag }) { rules.append(.element) }
        if let minimum, value.isBelow(minimum) { rules.append(.minimum) }
        if let maximum, maximum.isBelow(value) { rules.append(.maximum) }
        // What is not a number lies within no bounds.
        if value.isNaN, minimum != nil || maximum != nil { rules.append(.maximum) }
        if let length = value.length {
            if length < lengthMinimum ?? 0 { rules.append(.lengthMinimum) }
            if length > lengthMaximum ?? .max { rules.append(.lengthMaximum) }
        }
        if !values.isEmpty, !values.contains(value) { rules.append(.values) }
        return rules.map { value.violation($0, name) }
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

    /// How long it is: in Unicode scalars, bytes or items.
    fileprivate var length: UInt64? {
        switch self {
        case .string(let text): UInt64(text.unicodeScalars.count)
        case .bytes(let bytes): UInt64(bytes.count)
        case .list(let values): UInt64(values.count)
        case .set(let state): UInt64(state.entries.count)
        default: nil
        }
    }

    fileprivate func violation(_ rule: SchemaViolation.Rule, _ field: String) -> SchemaViolation {
        let kind = FieldKind(of: self)?.name ?? "null"
        return SchemaViolation(field: field, rule: rule, found: length.map { "\(kind) of \($0)" } ?? kind)
    }
}
