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
