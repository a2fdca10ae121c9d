/// The part of the daemon's status that callers other than administrators may see.
public struct BareStatus: Sendable, Hashable, Codable {
    /// The product's version.
    public var version: String
    /// The phase of its life.
    public var state: DaemonStatus.State

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(version: String, state: DaemonStatus.State) {
        (self.version, self.state) = (version, state)
    }
}
