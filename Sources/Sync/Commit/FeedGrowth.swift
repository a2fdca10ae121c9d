package import Records

/// The kinds of entries by which a transaction made the feed of changes longer.
package struct FeedGrowth: OptionSet, Sendable {
    /// A bit for each kind.
    package let rawValue: UInt8

    /// Makes a set of kinds.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Returns the kinds of entries about records.
    /// - Parameter changed: The records that the transaction changed.
    /// - Complexity: O(records).
    package init(_ changed: [RecordRow]) {
        self = changed.isEmpty ? [] : changed.contains(where: Inbox.takes) ? .anything : .others
    }

    /// Records that are messages, or receipts of them: the inbox has something to take in.
    package static let messages = FeedGrowth(rawValue: 1)
    /// Other records, and entries about zones.
    package static let others = FeedGrowth(rawValue: 2)
    /// Entries that the caller does not know.
    package static let anything: FeedGrowth = [.messages, .others]
}
