import Sync

/// One unit of work inside a group commit.
struct CommitJob {
    /// Runs inside a savepoint: when it throws, its changes are undone and the other jobs of the group stand.
    var body: (NodeProcess, inout MemoryStore) throws -> CommitNotice
    /// Called once when the group is durable, or the job failed.
    var completion: (Result<CommitNotice, any Error>) throws -> Void

    init(
        _ body: @escaping (NodeProcess, inout MemoryStore) throws -> CommitNotice,
        completion: @escaping (Result<CommitNotice, any Error>) throws -> Void = { _ in }
    ) {
        self.body = body
        self.completion = completion
    }
}
