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
        self = changed.isEmpty ? [] : .others
        if changed.contains(where: Inbox.takes) { insert(.messages) }
        if changed.contains(where: { !$0.assets.isEmpty }) { insert(.assets) }
    }

    /// Records that are messages, or receipts of them: the inbox has something to take in.
    package static let messages = FeedGrowth(rawValue: 1)
    /// Other records, and entries about zones.
    package static let others = FeedGrowth(rawValue: 2)
    /// Records that name payloads by assets: a round may have to look at them.
    package static let assets = FeedGrowth(rawValue: 4)
    /// Entries that the caller does not know.
    package static let anything: FeedGrowth = [.messages, .others, .assets]
}
