import Identity
package import Wire

/// The entries of an account log that arrive ahead of a welcome, because they do not fit into it.
///
/// The joining device takes the log in as a whole: of entries by a device that has filled its room only those stay that others descend
/// from, and these may arrive last.
package struct LongAccountLog: Sendable {
    /// The entries so far, parents before children.
    private var entries: [[UInt8]] = []
    private var byteCount = 0
    private var isWhole = false

    /// Begins without entries.
    package init() {}

    /// Adds the entries of a message.
    /// - Parameters:
    ///   - message: The next message on the channel.
    ///   - account: The account that the peer named in its handshake.
    /// - Returns: Whether the message may stand at this place. It may not if it names another account, has no entries, follows the last one, or if
    ///   the log is longer than any account log.
    /// - Complexity: O(entries of the message).
    package mutating func add(_ message: AccountEntries, of account: AccountID) -> Bool {
        guard !isWhole, message.account == account, !message.entries.isEmpty else { return false }
        byteCount += message.entries.reduce(0) { $0 + $1.count }
        guard entries.count + message.entries.count <= AccountLog.entryCountMax, byteCount <= AccountLog.byteCountMax
        else {
            return false
        }
        entries += message.entries
        isWhole = !message.more
        return true
    }

    /// The whole log, once the welcome is there.
    /// - Parameter welcome: The welcome.
    /// - Returns: `nil` if messages are missing between the two, or if the welcome has entries as well.
    package func whole(with welcome: PairWelcome) -> [[UInt8]]? {
        if entries.isEmpty { return welcome.entries }
        return isWhole && welcome.entries.isEmpty ? entries : nil
    }
}

extension PairWelcome {
    /// Splits a welcome into messages that a peer takes.
    /// - Parameter account: The account.
    /// - Returns: The welcome alone if its entries have at most `Limits.accountEntriesByteCountMax` bytes. Otherwise the entries in messages of
    ///   their own, and then the welcome without entries.
    func messages(of account: AccountID) -> [PeerMessage] {
        guard entries.reduce(0, { $0 + $1.count }) > Limits.accountEntriesByteCountMax else {
            return [.pairWelcome(self)]
        }
        return AccountEntries.messages(entries, account: account).map { .accountEntries($0) }
            + [.pairWelcome(PairWelcome(secrets: secrets, entries: []))]
    }
}
