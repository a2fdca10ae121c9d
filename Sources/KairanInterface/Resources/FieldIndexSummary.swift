/// An index on a field of a container's records, on this device.
package struct FieldIndexSummary: Sendable, Hashable, Codable {
    /// The progress of an index.
    package struct State: InterfaceWord {
        /// The word on the interface.
        package let rawValue: String
        /// Names a word, which need not be a known one.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// It is being built; no query uses it.
        package static let building = State(rawValue: "building")
        /// Queries use it.
        package static let ready = State(rawValue: "ready")
        /// The words that this version knows.
        package static let known: [State] = [.building, .ready]
    }

    /// The type of the records.
    package var type: String
    /// The field, or @ and a system field.
    package var field: String
    /// The kind of the index.
    package var kind: RecordSchema.IndexKind
    /// The progress of the index.
    package var state: State
    /// Whether a schema asks for it.
    package var isDeclared: Bool

    /// Names an index that is to be there.
    package init(type: String, field: String, kind: RecordSchema.IndexKind) {
        self.type = type
        self.field = field
        self.kind = kind
        state = .building
        isDeclared = false
    }

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(type: String, field: String, kind: RecordSchema.IndexKind, state: State, isDeclared: Bool) {
        (self.type, self.field, self.kind) = (type, field, kind)
        (self.state, self.isDeclared) = (state, isDeclared)
    }

    private enum CodingKeys: String, CodingKey {
        case type, field, kind, state
        case isDeclared = "declared"
    }
}
