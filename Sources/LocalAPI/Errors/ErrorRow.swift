/// The status, title and retryability of a code: one row of the table behind every error answer and behind
/// `docs/api/errors.md`.
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
