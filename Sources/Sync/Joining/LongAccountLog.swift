import Identity
package import Wire

/// The entries of an account log that arrive ahead of a message that carries the log, because they do not fit into it.
///
/// The receiver takes the log in as a whole: of entries by a device that has filled its room only those stay that others descend
/// from, and these may arrive last.
package struct LongAccountLog: Sendable {
    /// The entries so far, parents before children.
    private var entries: [[UInt8]] = []
    /// Bytes of the entries so far; at most `AccountLog.byteCountMax` while ``add(_:of:)`` takes them.
    package private(set) var byteCount = 0
    /// Whether the message that ends the log has come.
    package private(set) var isWhole = false

    /// Begins without entries.
    package init() {}

    /// Whether nothing has come.
    package var isEmpty: Bool { entries.isEmpty }

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

    /// The whole log, once the message that carries it is there.
    /// - Parameter carried: The entries in that message.
    /// - Returns: `nil` if messages are missing between the two, or if the message has entries as well.
    package func whole(with carried: [[UInt8]]) -> [[UInt8]]? {
        if entries.isEmpty { return carried }
        return isWhole && carried.isEmpty ? entries : nil
    }
}

extension [[UInt8]] {
    /// Whether an account log of these entries does not fit into the message that carries it, and goes ahead of it.
    /// - Complexity: O(entries).
    package var isLongLog: Bool { reduce(0) { $0 + $1.count } > Limits.accountEntriesByteCountMax }
}

extension PeerMessage {
    /// Moves the account log that a message carries ahead of it where it does not fit.
    /// - Parameter account: The account whose log it is.
    /// - Returns: The message alone if it carries no log, or one of at most `Limits.accountEntriesByteCountMax` bytes. Otherwise the entries in
    ///   messages of their own, and then the message without entries.
    /// - Complexity: O(entries).
    package func withLogAhead(of account: AccountID) -> [PeerMessage] {
        var rest = self
        let entries = rest.takeLog()
        guard entries.isLongLog else { return [self] }
        return AccountEntries.messages(entries, account: account).map { .accountEntries($0) } + [rest]
    }

    /// Removes the account log from a message that carries the sender's whole log.
    private mutating func takeLog() -> [[UInt8]] {
        let entries: [[UInt8]]
        switch self {
        case .pairWelcome(var message):
            entries = message.entries
            message.entries = []
            self = .pairWelcome(message)
        case .joinRequest(var message):
            entries = message.entries
            message.entries = []
            self = .joinRequest(message)
        case .joinAnswer(var message):
            entries = message.entries
            message.entries = []
            self = .joinAnswer(message)
        case .guestWrite(var message):
            entries = message.entries
            message.entries = []
            self = .guestWrite(message)
        default:
            entries = []
        }
        return entries
    }
}
