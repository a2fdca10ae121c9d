/// What whoever is no administrator is told of how the daemon is.
public struct BareStatus: Sendable, Hashable, Codable {
    /// The product's version.
    public var version: String
    /// The phase of its life.
    public var state: DaemonStatus.State
}
