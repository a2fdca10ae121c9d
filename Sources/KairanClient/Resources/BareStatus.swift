/// The part of the daemon's status that callers other than administrators may see.
public struct BareStatus: Sendable, Hashable, Codable {
    /// The product's version.
    public var version: String
    /// The phase of its life.
    public var state: DaemonStatus.State
}
