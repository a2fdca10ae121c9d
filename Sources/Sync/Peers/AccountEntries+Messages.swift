package import Wire

extension AccountEntries {
    /// Puts entries into messages that a peer takes, however many there are.
    /// - Parameters:
    ///   - entries: The entries, parents before children; they stay in this order.
    ///   - account: The account of the entries.
    /// - Returns: The messages, all but the last with `more`; none for no entries.
    package static func messages(_ entries: [[UInt8]], account: AccountID) -> [AccountEntries] {
        var messages: [AccountEntries] = []
        var part: [[UInt8]] = []
        var byteCount = 0
        for entry in entries {
            let isFull =
                byteCount + entry.count > Limits.accountEntriesMessageByteCount
                || part.count == Limits.accountEntryCountMax
            if isFull, !part.isEmpty {
                messages.append(AccountEntries(account: account, entries: part, more: true))
                part = []
                byteCount = 0
            }
            part.append(entry)
            byteCount += entry.count
        }
        if !part.isEmpty { messages.append(AccountEntries(account: account, entries: part, more: false)) }
        return messages
    }
}
