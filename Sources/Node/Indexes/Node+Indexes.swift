package import Queries
import Sync
import Wire

extension Node {
    /// See `NodeAPI`.
    package func fieldIndexes(container: String) async throws(NodeError) -> [FieldIndexStatus] {
        try checkIndexed(container)
        return try await reading { [self] in try FieldIndexes(replica.committer).all(of: container, in: $0) }
    }

    /// See `NodeAPI`.
    package func setFieldIndexes(
        _ indexes: [FieldIndex],
        container: String
    ) async throws(NodeError) -> [FieldIndexStatus] {
        try checkIndexed(container)
        guard indexes.count <= FieldIndexes.countMax else {
            throw NodeError(
                .invalidArgument,
                "A container has at most \(FieldIndexes.countMax) indexes.",
                fix: "Leave out those that no query needs."
            )
        }
        do {
            // Not a write that peers learn of: a device that may not write has indexes too.
            let statuses = try await commits.perform { [replica] transaction in
                let committer = replica.committer
                try FieldIndexes(committer).ask(for: indexes, container: container, in: &transaction)
                return try FieldIndexes(committer).all(of: container, in: transaction)
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
