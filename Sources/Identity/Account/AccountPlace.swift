import Wire

/// A place in the order of an account log: by generation, then by hash.
struct AccountPlace: Comparable, Hashable, Sendable {
    /// See ``AccountNode/generation``.
    let generation: Int
    /// The entry's name.
    let hash: Hash

    static func < (left: Self, right: Self) -> Bool {
        left.generation == right.generation ? left.hash < right.hash : left.generation < right.generation
    }
}
