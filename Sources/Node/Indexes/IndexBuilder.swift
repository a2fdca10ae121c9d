import Logging
import Sync

/// Builds the indexes that schemas and programs ask for beside everything else, a little in each transaction, so that no write
/// waits long for it.
package final class IndexBuilder: Sendable {
    /// The number of records that one transaction examines: a few milliseconds.
    static let chunkCount = 256

    private let commits: CommitQueue
    private let storage: any StoragePort
    private let committer: @Sendable () -> Committer
    private let logger: Logger
    private let wakes: AsyncStream<Void>
    private let wakeContinuation: AsyncStream<Void>.Continuation

    /// Makes a builder that checks once when it begins to run: an interrupted build continues.
    init(
        commits: CommitQueue,
        storage: any StoragePort,
        committer: @escaping @Sendable () -> Committer,
        logger: Logger
    ) {
        self.commits = commits
        self.storage = storage
        self.committer = committer
        self.logger = logger
        (wakes, wakeContinuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeContinuation.yield()
    }

    /// Says that there may be something to do.
    func wake() { wakeContinuation.yield() }

    /// Works whenever it is woken, until its task is cancelled.
    func run() async {
        for await _ in wakes {
            do {
                try await updateIndexes()
                while !Task.isCancelled, try await step() {}
            } catch {
                // The steps that were committed stay; the next round of maintenance wakes it again.
                logger.warning("indexes cannot be built now", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Gives containers the indexes that their schemas ask for by now; nothing is written where they have them.
    private func updateIndexes() async throws {
        let open = try await storage.read { [committer] in try FieldIndexes(committer()).outdatedContainers(in: $0) }
        guard !open.isEmpty else { return }
        try await commits.perform { [committer] in try FieldIndexes(committer()).updateIndexes(of: open, in: &$0) }
    }

    /// Builds a part of the indexes.
    /// - Returns: Whether there was anything to do.
    /// - Throws: The errors of the commit queue.
    func step() async throws -> Bool {
        try await commits.perform { try $0.buildFieldIndexes(limit: Self.chunkCount) }
    }
}
