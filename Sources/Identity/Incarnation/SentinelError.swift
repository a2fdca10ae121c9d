/// Why bytes are no sentinel; both cases count as a sentinel that is missing.
package enum SentinelError: Error, Equatable, Sendable {
    /// The bytes are not what ``Sentinel/encoded`` writes, such as a file that a power loss cut short.
    case damaged

    /// A later version wrote them.
    case laterVersion
}
