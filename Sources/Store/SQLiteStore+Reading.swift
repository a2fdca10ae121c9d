import Sync

// The transactions of reads.
extension SQLiteStore {
    /// Runs the body of a read on a connection.
    static func read<Value>(
        _ statements: StatementCache,
        _ secrets: StoredSecrets,
        _ payloads: PayloadDirectory,
        _ linkedFiles: any LinkedFiles,
        _ body: (any NodeTransaction) throws -> Value
    ) throws -> Value {
        let context = TransactionContext(
            reading: statements,
            secrets: secrets,
            payloads: payloads,
            linkedFiles: linkedFiles
        )
        return try body(SQLiteTransaction(context: context))
    }
}
