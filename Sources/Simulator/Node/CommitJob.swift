import Sync

/// One unit of work inside a group commit.
struct CommitJob {
    /// The outcome of a job whose changes are in the group's transaction.
    struct Success {
        var notice: CommitNotice
        /// Completes the job with its value; called once when the group is durable.
        var complete: () throws -> Void
    }

    /// Runs inside a savepoint: when it throws, its changes are undone and the other jobs of the group stand.
    var body: (NodeProcess, inout MemoryStore) throws -> Success
    /// Called once when the job or its group has failed.
    var failed: (any Error) throws -> Void

    /// Describes a job.
    init(
        _ body: @escaping (NodeProcess, inout MemoryStore) throws -> CommitNotice,
        completion: @escaping (Result<CommitNotice, any Error>) throws -> Void = { _ in }
    ) {
        self.body = {
            let notice = try body($0, &$1)
            return Success(notice: notice) { try completion(.success(notice)) }
        }
        failed = { try completion(.failure($0)) }
    }

    /// Describes a job that has a reply.
    init<Reply>(
        _ body: @escaping (NodeProcess, inout MemoryStore) throws -> Changed<Reply>,
        completion: @escaping (Result<Changed<Reply>, any Error>) throws -> Void
    ) {
        self.body = {
            let changed = try body($0, &$1)
            return Success(notice: changed.notice) { try completion(.success(changed)) }
        }
        failed = { try completion(.failure($0)) }
    }
}
