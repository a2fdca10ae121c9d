import Wire

/// Entries of an account's log that come in several messages, until the last of these has come.
///
/// They are taken in together: of the entries by a device that has filled its room, only those with a descendant stay
/// (decision 65), and the descendant may be in a later message.
struct ArrivingEntries: Sendable {
    /// The maximum number of bytes held, for one session; more are passed on before their end has come.
    static let byteCountMax = 1_048_576

    /// Entries of one account, parents before children.
    struct Batch: Equatable, Sendable {
        let account: AccountID
        var entries: [[UInt8]]
    }

    private var batch: Batch?
    private var byteCount = 0

    /// Takes a message.
    /// - Parameter message: The next message of the session.
    /// - Returns: The batches to take in now, in this order; none while more is to come.
    /// - Complexity: O(entries of the message).
    mutating func take(_ message: AccountEntries) -> [Batch] {
        var whole: [Batch] = []
        // Messages of one answer follow each other, so the end of the one before is not to come any more.
        assert(batch != nil || byteCount == 0, "only a batch that has begun has bytes")
        if let batch, batch.account != message.account { whole.append(finish(batch)) }
        var next = batch ?? Batch(account: message.account, entries: [])
        next.entries += message.entries
        byteCount += message.entries.reduce(0) { $0 + $1.count }
        if message.more, byteCount <= Self.byteCountMax {
            batch = next
        } else {
            whole.append(finish(next))
        }
        return whole
    }

    private mutating func finish(_ whole: Batch) -> Batch {
        batch = nil
        byteCount = 0
        return whole
    }
}
