extension DaemonRequest {
    /// The indexes of a container.
    package static func indexes(of container: String) -> DaemonRequest {
        DaemonRequest(.get, ["containers", container, "indexes"])
    }

    /// The setting of all indexes of a container that no schema declares.
    package static func setIndexes(of container: String, _ indexes: [FieldIndexSummary]) -> DaemonRequest {
        let wanted = indexes.map { index -> JSONValue in
            ["type": .string(index.type), "field": .string(index.field), "kind": .string(index.kind.rawValue)]
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
