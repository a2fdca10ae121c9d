import Records
import Sync
import Wire

/// One transaction of the SQLite store.
///
/// A thin value around the context; each aspect of the port is in a file of its own. It is valid only inside the
/// closure it was handed to.
struct SQLiteTransaction: NodeTransaction {
    let context: TransactionContext

    /// The keys of epochs that are open in this process.
    var keyring: EpochKeyring {
        get { context.keyring }
        nonmutating set { context.keyring = newValue }
    }

    /// The statement for an SQL literal.
    /// - Throws: Any error of SQLite while compiling it.
    func sql(_ text: StaticString) throws(StorageError) -> PreparedStatement {
        try context.statements.statement(text)
    }

    /// Makes sure that this transaction may write.
    /// - Throws: `.misuse` in a reading transaction.
    func requireWritable() throws(StorageError) {
        guard context.isWritable else {
            throw StorageError(code: .misuse, message: "a reading transaction cannot write")
        }
    }

    /// Runs a decoder of stored bytes.
    /// - Throws: `.corrupt` when they are not the bytes that were written.
    func decoding<Value>(_ what: StaticString, _ body: () throws(WireError) -> Value) throws(StorageError) -> Value {
        do {
            return try body()
        } catch {
            throw StorageError(code: .corrupt, message: "\(what): \(error)")
        }
    }

    /// Makes sure that a value which was read keeps the rules that it kept when it was saved.
    /// - Parameters:
    ///   - value: The value.
    ///   - table: The table that it was read from.
    ///   - key: Its place there, for people; ids, and no content.
    /// - Returns: The value.
    /// - Throws: `.corrupt` with the table, the place and the rule that does not hold.
    func undamaged<Value: Validated>(
        _ value: Value,
        _ table: StaticString,
        _ key: @autoclosure () -> String
    ) throws(StorageError) -> Value {
        if let broken = value.brokenRule {
            throw StorageError(code: .corrupt, message: "\(key()) is damaged in the table \(table): \(broken)")
        }
        return value
    }

    /// Makes sure that an item which was read keeps the rules of its place; as ``undamaged(_:_:_:)``.
    func undamaged(_ item: StoredItem, in log: LogKey) throws(StorageError) -> StoredItem {
        _ = try undamaged(PlacedItem(item, in: log), "item", "leaf \(item.first) of \(log)")
        return item
    }
}
