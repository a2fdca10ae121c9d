import Queries
import Sync
import Wire

/// Answers requests about the indexes that programs ask for.
struct IndexRequests: IndexAPI {
    let store: CallerStore
    let builder: IndexBuilder

    func fieldIndexes(container: String) async throws(NodeError) -> [FieldIndexStatus] {
        try check(container)
        return try await store.read { try FieldIndexes(store.committer).all(of: container, in: $0) }
    }

    func setFieldIndexes(
        _ indexes: [FieldIndex],
        container: String
    ) async throws(NodeError) -> [FieldIndexStatus] {
        try check(container)
        guard indexes.count <= FieldIndexes.countMax else {
            throw NodeError(
                .invalidArgument,
                "A container has at most \(FieldIndexes.countMax) indexes.",
                fix: "Leave out those that no query needs."
            )
        }
        let statuses = try await store.keep { transaction in
            let all = FieldIndexes(store.committer)
            try all.ask(for: indexes, container: container, in: &transaction)
            return try all.all(of: container, in: transaction)
        }
        builder.wake()
        return statuses
    }

    private func check(_ container: String) throws(NodeError) {
        try NameRule.check(container, "a container")
        guard store.scope.contains(container: container), !ZoneGenesis.isReserved(container: container) else {
            throw .forbidden(container: container)
        }
    }
}
