/// The statements that find messages and receipts.
enum MessageStatements {
    /// Selects the records that the inbox takes, behind a position.
    ///
    /// The condition is that of the index, word for word: else SQLite does not use it.
    static let changes: StaticString = """
        SELECT id FROM record INDEXED BY record_message
        WHERE (type IN ('kairan.message', 'kairan.receipt') OR (name >= 'message/' AND name < 'message0')) AND position > ?
        ORDER BY position LIMIT ?
        """
}
