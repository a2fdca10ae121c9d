/// An index on a field of a container's records, on this device.
package struct FieldIndexSummary: Sendable, Hashable, Codable {
    /// The type of the records.
    package var type: String
    /// The field, or @ and a system field.
    package var field: String
    /// `value`, or `text` for one on the words of a text.
    package var kind: String
    /// `ready`, or `building` until queries use it.
    package var state: String
    /// Whether a schema asks for it.
    package var isDeclared: Bool

    /// Names an index that is to be there.
    package init(type: String, field: String, kind: String) {
        self.type = type
        self.field = field
        self.kind = kind
        state = "building"
        isDeclared = false
    }

    private enum CodingKeys: String, CodingKey {
        case type, field, kind, state
        case isDeclared = "declared"
    }
}

extension DaemonRequest {
    /// The indexes of a container.
    package static func indexes(of container: String) -> DaemonRequest {
        DaemonRequest(.get, ["containers", container, "indexes"])
    }

    /// The setting of all indexes of a container that no schema declares.
    package static func setIndexes(of container: String, _ indexes: [FieldIndexSummary]) -> DaemonRequest {
        let wanted = indexes.map { index -> JSONValue in
            ["type": .string(index.type), "field": .string(index.field), "kind": .string(index.kind)]
        }
        return DaemonRequest(.put, ["containers", container, "indexes"], body: ["indexes": .array(wanted)])
    }
}

extension DaemonClient {
    /// Returns the indexes of a container on this device.
    /// - Parameter container: The container.
    /// - Returns: The requested indexes, and those that schemas declare.
    /// - Throws: ``KairanError``, `CancellationError`.
    package func indexes(of container: String) async throws -> [FieldIndexSummary] {
        try await value(.indexes(of: container))
    }
}
