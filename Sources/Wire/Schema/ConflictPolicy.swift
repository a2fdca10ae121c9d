/// The policy for values of a field that were written concurrently.
package enum ConflictPolicy: String, Hashable, Sendable, CaseIterable {
    /// One value is shown, and all survive until a writer resolves the conflict.
    case keep
    /// The value that is shown stands, and there is nothing to resolve.
    case latest
}
