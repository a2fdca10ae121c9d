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

    /// Selects the messages of a zone for which an answer is owed.
    static let owing: StaticString = """
        SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
        FROM message INDEXED BY message_owing WHERE owes = 1 AND zone = ? ORDER BY number LIMIT ?
        """

    /// Selects those of them that were sent from here, without a pass over receipts that are owed.
    static let owingSent: StaticString = """
        SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
        FROM message INDEXED BY message_resealing WHERE owes = 1 AND state = 1 AND zone = ? ORDER BY number LIMIT ?
        """

    /// Selects the messages of which a further sealing waits since a time in a range.
    static let held: StaticString = """
        SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
        FROM message INDEXED BY message_held WHERE held BETWEEN ? AND ? ORDER BY held, number LIMIT ?
        """

    /// Selects the messages that have expired by some time.
    static let expired: StaticString = """
        SELECT number, id, zone, tag, actor, counter, state, expires, owes, secret, payload, settled, held
        FROM message INDEXED BY message_expiring WHERE expires <= ? ORDER BY expires, number LIMIT ?
        """
}
