package import Queries
import Sync
import Wire

extension Node {
    /// Indexes of one container: each costs time with every write.
    static let indexCountMax = 64

    /// See `NodeAPI`.
    package func fieldIndexes(container: String) async throws(NodeError) -> [FieldIndexStatus] {
        try checkIndexed(container)
        return try await reading { try $0.fieldIndexes(container: container) }
    }

    /// See `NodeAPI`.
    package func setFieldIndexes(
        _ indexes: [FieldIndex],
        container: String
    ) async throws(NodeError) -> [FieldIndexStatus] {
        try checkIndexed(container)
        guard indexes.count <= Self.indexCountMax else {
            throw NodeError(
                .invalidArgument,
                "A container has at most \(Self.indexCountMax) indexes.",
                fix: "Leave out those that no query needs."
            )
        }
        do {
            // Not a write that others hear of: a device that may not write has indexes too.
            let statuses = try await commits.perform { transaction in
                try transaction.setFieldIndexes(indexes, container: container)
                return try transaction.fieldIndexes(container: container)
            }
            indexing.wake()
            return statuses
        } catch {
            replica.warn(of: error)
            throw told(error)
        }
    }

    private func checkIndexed(_ container: String) throws(NodeError) {
        try Self.check(container, "a container")
        guard scope.contains(container: container), !ZoneGenesis.isReserved(container: container) else {
            throw NodeError(
                .forbidden,
                "The container \"\(container)\" is not this application's.",
                fix: "Use one of the containers that the application is bound to."
            )
        }
    }
}
