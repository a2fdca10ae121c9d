/// One change of the feed.
public struct Change: Sendable, Hashable, Codable {
    /// The kind of a change.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// It was created or changed.
        case save
        /// It was deleted.
        case delete
        /// It is not (or no longer) among the records that were asked for; it may never have been.
        case out
    }

    /// The kind of the change.
    public var kind: Kind
    /// The current record.
    public var record: Record
    /// Whether the newest change came from a peer.
    public var bySync: Bool

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(kind: Kind, record: Record, bySync: Bool) {
        (self.kind, self.record, self.bySync) = (kind, record, bySync)
    }

    enum CodingKeys: String, CodingKey {
        case kind, record
        case bySync = "by_sync"
    }
}
