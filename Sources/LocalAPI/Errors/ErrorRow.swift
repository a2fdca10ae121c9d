/// What the interface says for a code: the one table behind every error answer and behind `docs/api/errors.md`.
package struct ErrorRow: Sendable, Hashable {
    /// The stable code.
    package let code: String
    /// The HTTP status.
    package let status: Int
    /// The kind of problem in a few words; the same for every occurrence.
    package let title: String
    /// Whether the same request may succeed later.
    package let isRetryable: Bool
}
