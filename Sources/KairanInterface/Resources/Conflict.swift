/// A record whose concurrent writes disagree.
public struct Conflict: Sendable, Hashable, Codable {
    /// Its zone.
    public var zone: String
    /// Its name.
    @Name public var name: String
    /// The sides; the one that reading shows comes first.
    public var siblings: [Sibling]
    /// The common ancestor of all sides, if it is still held.
    public var ancestor: Sibling?

    enum CodingKeys: String, CodingKey {
        case zone, name, siblings, ancestor
    }
}

/// A page of records whose concurrent writes disagree.
public struct ConflictPage: Sendable, Hashable, Codable {
    /// The records.
    public var conflicts: [Conflict]
    /// Continue with this cursor; `nil` at the end.
    public var cursor: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(conflicts: [Conflict], cursor: String? = nil) {
        (self.conflicts, self.cursor) = (conflicts, cursor)
    }
}

extension ConflictPage: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["cursor"]
}
