/// The reason why bytes are not a sentinel; in both cases the sentinel is treated as missing.
package enum SentinelError: Error, Equatable, Sendable {
    /// The bytes are not those of ``Sentinel/encoded``, such as a file that a power loss cut short.
    case damaged

    /// A later version wrote them.
    case laterVersion
}

extension SentinelError: CustomStringConvertible {
    /// The reason, for logs.
    package var description: String {
        switch self {
        case .damaged: "the sentinel is damaged or was cut short"
        case .laterVersion: "a later version of Kairan wrote the sentinel"
        }
    }
}
