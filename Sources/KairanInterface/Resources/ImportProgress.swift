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

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(saved: Int, failed: Int, errors: [ImportFailure], isFinal: Bool, problem: Problem? = nil) {
        (self.saved, self.failed, self.errors) = (saved, failed, errors)
        (self.isFinal, self.problem) = (isFinal, problem)
    }

    enum CodingKeys: String, CodingKey {
        case saved, failed, errors
        case isFinal = "done"
        case problem
    }
}

extension ImportProgress: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["problem"]
}
