package import Wire

// Infers the schema of a zone in development from records as they are written. Inference only adds: declared fields
// and those inferred first stay, so the inferences of two concurrent devices add up.
extension Schema {
    /// The type of a record with those fields that it shows and the schema does not have.
    /// - Parameters:
    ///   - body: The record.
    ///   - known: The known part of the type; `nil` for nothing.
    /// - Returns: The new part, at least the type itself; `nil` when nothing is new.
    /// - Complexity: O(size of the body).
    package static func inferred(from body: RecordBody, beyond known: RecordTypeSchema?) -> RecordTypeSchema? {
        guard !body.isDeleted else { return nil }
        let room = Limits.schemaFieldCountMax - (known?.fields.count ?? 0)
        let fields = body.fields.lazy.compactMap { field -> FieldSchema? in
            guard known?.field(named: field.name) == nil, let value = field.winner?.value else { return nil }
            return FieldSchema(name: field.name, holding: value)
        }
        let news = Array(fields.prefix(max(room, 0)))
        guard known == nil || !news.isEmpty else { return nil }
        return RecordTypeSchema(name: body.type, fields: news)
    }
}

extension FieldSchema {
    /// The field that fits a value; null does not determine one.
    fileprivate init?(name: String, holding value: FieldValue) {
        guard let kind = FieldKind(of: value) else { return nil }
        var tags: Set<UInt64> = []
        switch value {
        case .list(let values): tags = Set(values.map(\.tag))
        case .set(let state): tags = Set(state.entries.map(\.element.tag))
        default: break
        }
        let element = tags.count == 1 ? tags.first.flatMap { FieldKind(tag: $0) } : nil
        self.init(name: name, kind: kind, element: element)
    }
}
