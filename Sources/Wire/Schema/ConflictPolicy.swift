/// What becomes of the values of a field that were written without knowledge of each other.
package enum ConflictPolicy: String, Hashable, Sendable, CaseIterable {
    /// One is shown, all survive until somebody resolves the conflict.
    case keep
    /// The one that is shown stands, and there is nothing to resolve.
    case latest
}
