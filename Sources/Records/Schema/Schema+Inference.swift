package import Wire

// What development learns from records as they are written. Inference only adds: what is declared, or was inferred first,
// stays, so two devices that infer at once add up.
extension Schema {
    /// The type of a record with those fields that it shows and the schema does not have.
    /// - Parameters:
    ///   - body: The record.
    ///   - known: What is known of the type; `nil` for nothing.
    /// - Returns: What is new, at least the type itself; `nil` when nothing is.
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
    /// What a field is that holds a value; nothing can be told from null.
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
