import Node
import Sync

/// The writing connection: runs groups of jobs, each group in one transaction.
///
/// SAFETY: unchecked because it is used only on the serial queue of the pool's writing connection, which the compiler
/// cannot see.
final class GroupCommit: @unchecked Sendable {
    private let context: TransactionContext
    /// The log that the connection writes.
    let log: WriteAheadLog

    private let payloadFiles: PayloadFiles

    /// Takes over a connection that is open and has its schema.
    init(
        statements: StatementCache,
        secrets: StoredSecrets,
        payloadFiles: PayloadFiles,
        linkedFiles: any LinkedFiles,
        log: WriteAheadLog
    ) {
        context = TransactionContext(
            writing: statements,
            secrets: secrets,
            payloadFiles: payloadFiles,
            linkedFiles: linkedFiles
        )
        self.payloadFiles = payloadFiles
        self.log = log
    }

    /// Runs the jobs in one transaction; when this returns with success, the transaction is durable.
    /// - Parameter jobs: At least one.
    /// - Returns: One result a job, in order, or the failure for which none took effect. A job that throws is undone
    ///   and leaves the others standing; a failure of the storage itself undoes all.
    /// - Complexity: O(work of the jobs), one sync, and one of each file of a payload that was written.
    func run<Value>(_ jobs: [StorageJob<Value>]) -> Result<[Result<Value, any Error>], any Error> {
        let before = context.mark
        do {
            context.statements.failure = nil
            try statement("BEGIN IMMEDIATE")
            context.isWritable = true
            defer { context.isWritable = false }
            let results = try runInside(jobs)
            // A group of nothing but refusals has nothing to make durable.
            guard results.contains(where: { $0.isSuccess }) else {
                undo(before)
                return .success(results)
            }
            try SQLiteTransaction(context: context).flush()
            try payloadFiles.synchronize()
            try statement("COMMIT")
            payloadFiles.committed()
            context.transactionEnded()
            return .success(results)
        } catch {
            undo(before)
            return .failure(StorageError(error))
        }
    }

    /// Frees the statements and the hook, so that the connection can be closed.
    func detach() {
        log.detach()
        context.statements.finalizeAll()
    }

    private func runInside<Value>(_ jobs: [StorageJob<Value>]) throws -> [Result<Value, any Error>] {
        var transaction: any NodeTransaction = SQLiteTransaction(context: context)
        // The one job of a group is undone with its transaction.
        let needsSavepoints = jobs.count > 1
        var results: [Result<Value, any Error>] = []
        results.reserveCapacity(jobs.count)
        for job in jobs {
            let mark = context.mark
            if needsSavepoints { try statement("SAVEPOINT job") }
            do {
                results.append(.success(try job(&transaction)))
            } catch {
                try rethrowFailure()
                if needsSavepoints { try statement("ROLLBACK TO job") }
                context.restore(mark)
                results.append(.failure(error))
            }
            // Also for a job that met a failure and went on: writes that it believes to have made may be missing.
            try rethrowFailure()
            if needsSavepoints { try statement("RELEASE job") }
        }
        return results
    }

    private func rethrowFailure() throws(StorageError) {
        if let failure = context.statements.failure { throw failure }
        guard context.statements.isInTransaction else {
            throw StorageError(code: .inputOutput, message: "SQLite ended the transaction unexpectedly")
        }
    }

    private func undo(_ before: TransactionContext.Mark) {
        if context.statements.isInTransaction {
            // It cannot fail in a way that leaves the transaction open, and nothing better could be done.
            try? statement("ROLLBACK")
        }
        context.restore(before)
        payloadFiles.closeAll()
        context.transactionEnded()
    }

    private func statement(_ text: StaticString) throws(StorageError) {
        try context.statements.statement(text).run()
    }
}

extension Result {
    /// Whether there is a value.
    fileprivate var isSuccess: Bool {
        if case .success = self { return true }
        return false
    }
}
