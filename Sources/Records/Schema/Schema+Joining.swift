package import Wire

/// The reason why two schemas cannot be joined.
package enum SchemaConflict: Error, Equatable, Sendable {
    /// A field of both holds another kind of value in each.
    case kind(type: String, field: String, FieldKind, FieldKind)
    /// Both together are larger than a schema may be.
    case tooLarge(WireError)
}

// The join of two schemas: all types and fields of both, each with the looser constraint. The join is commutative,
// associative and idempotent where it exists, so the order in which promotions arrive does not matter.
extension Schema {
    /// The join of both schemas.
    /// - Parameter other: The other one.
    /// - Returns: The least schema that declares everything that either declares and, of a type and a field that both
    ///   declare, allows everything that one of them allows.
    /// - Throws: `SchemaConflict`.
    /// - Complexity: O(fields).
    package func joined(with other: Schema) throws(SchemaConflict) -> Schema {
        let types = try Self.union(types, other.types, alone: \.self) { left, right throws(SchemaConflict) in
            try left.joined(with: right)
        }
        let joined = Schema(types: types, unknown: Self.joined(unknown, other.unknown))
        do {
            _ = try joined.checkedEncoding()
        } catch {
            throw .tooLarge(error)
        }
        return joined
    }

    /// The items of both; two items with the same key are joined into one, and `alone` transforms the others.
    fileprivate static func union<Item: WireOrdered>(
        _ left: [Item],
        _ right: [Item],
        alone: (Item) -> Item,
        _ join: (Item, Item) throws(SchemaConflict) -> Item
    ) throws(SchemaConflict) -> [Item] {
        var items: [Item] = []
        var rest = right[...]
        for item in left {
            while let next = rest.first, next.orderKey < item.orderKey {
                rest.removeFirst()
                items.append(alone(next))
            }
            if let next = rest.first, next.orderKey == item.orderKey {
                rest.removeFirst()
                items.append(try join(item, next))
            } else {
                items.append(alone(item))
            }
        }
        return items + rest.map(alone)
    }

    /// The attributes from later versions in either schema; of two different values the one with the greater bytes,
    /// since this version cannot interpret them.
    fileprivate static func joined(_ left: [SchemaAttribute], _ right: [SchemaAttribute]) -> [SchemaAttribute] {
        var byTag: [UInt64: SchemaAttribute] = [:]
        for attribute in left + right {
            guard let held = byTag[attribute.tag] else {
                byTag[attribute.tag] = attribute
                continue
            }
            if held.payload.lexicographicallyPrecedes(attribute.payload) { byTag[attribute.tag] = attribute }
        }
        return byTag.values.sorted { $0.tag < $1.tag }
    }
}

extension RecordTypeSchema {
    fileprivate func joined(with other: RecordTypeSchema) throws(SchemaConflict) -> RecordTypeSchema {
        let name = name.string
        // A field that only one of them knows is optional: a program that uses the other schema does not write it.
        let fields = try Schema.union(fields, other.fields, alone: \.optional) { left, right throws(SchemaConflict) in
            try left.joined(with: right, of: name)
        }
        return RecordTypeSchema(
            name: name,
            fields: fields,
            // The policy that loses no value is the looser one.
            conflicts: conflicts == other.conflicts ? conflicts : .keep,
            unknown: Schema.joined(unknown, other.unknown)
        )
    }
}

extension FieldSchema {
    /// The same field, which need not be there.
    fileprivate var optional: FieldSchema {
        var field = self
        field.isRequired = false
        return field
    }

    fileprivate func joined(with other: FieldSchema, of type: String) throws(SchemaConflict) -> FieldSchema {
        guard kind == other.kind else {
            throw .kind(type: type, field: name.string, min(kind, other.kind), max(kind, other.kind))
        }
        return FieldSchema(
            name: name.string,
            kind: kind,
            isRequired: isRequired && other.isRequired,
            element: element == other.element ? element : nil,
            minimum: looser(minimum, other.minimum) { $0.isBelow($1) },
            maximum: looser(maximum, other.maximum) { $1.isBelow($0) },
            lengthMinimum: looser(lengthMinimum, other.lengthMinimum, by: <),
            lengthMaximum: looser(lengthMaximum, other.lengthMaximum, by: >),
            values: values.isEmpty || other.values.isEmpty ? [] : values + other.values,
            indexes: indexes.union(other.indexes),
            unknown: Schema.joined(unknown, other.unknown)
        )
    }

    /// The looser of two limits; none is the loosest.
    private func looser<Limit>(_ left: Limit?, _ right: Limit?, by isLooser: (Limit, Limit) -> Bool) -> Limit? {
        guard let left, let right else { return nil }
        return isLooser(right, left) ? right : left
    }

    private func min(_ left: FieldKind, _ right: FieldKind) -> FieldKind { left.tag < right.tag ? left : right }
    private func max(_ left: FieldKind, _ right: FieldKind) -> FieldKind { left.tag < right.tag ? right : left }
}

extension SchemaConflict: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .kind(let type, let field, let first, let second):
            "the field “\(field)” of “\(type)” is \(first.name) in one and \(second.name) in the other"
        case .tooLarge(let error): "both together are not a schema: \(error)"
        }
    }
}
