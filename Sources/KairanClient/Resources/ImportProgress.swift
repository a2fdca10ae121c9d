/// The progress of an import: everything counted here is durable.
public struct ImportProgress: Sendable, Hashable, Codable {
    /// Records saved since the beginning.
    public var saved: Int
    /// Lines refused since the beginning.
    public var failed: Int
    /// The refusals that came with this message.
    public var errors: [ImportFailure]
    /// Whether the import is complete.
    public var isFinal: Bool

    /// Why the import ended early, if it did: the lines behind those counted here were not looked at.
    public var problem: Problem?

    enum CodingKeys: String, CodingKey {
        case saved, failed, errors, problem
        case isFinal = "done"
    }
}
