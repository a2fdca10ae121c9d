package import Wire

extension Schema {
    /// The indexes it asks for, by type and field.
    package var indexes: [FieldIndex] {
        types.flatMap { type in
            type.fields.flatMap { field in
                FieldIndex.Kind.allCases.filter { field.indexes.contains($0.bits) }.map {
                    FieldIndex(type: type.name.string, field: .field(field.name), kind: $0)
                }
            }
        }
    }
}

extension FieldIndex.Kind {
    /// The kind in the form of a schema.
    fileprivate var bits: IndexKinds {
        switch self {
        case .value: .value
        case .text: .text
        }
    }
}
