extension Caveats {
    /// Whether records of a type may be written.
    /// - Complexity: O(types).
    package func allows(type: String) -> Bool {
        recordTypes.isEmpty || recordTypes.contains { $0.isBytewiseEqual(to: type) }
    }

    /// Whether records of a name may be written.
    /// - Complexity: O(prefix).
    package func allows(name: String) -> Bool {
        name.utf8.starts(with: namePrefix.utf8)
    }
}
