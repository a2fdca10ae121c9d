import Sodium
package import Wire

extension Identifier where Kind == ZoneKind {
    /// The zone that a genesis starts: a hash of owner, container, name and salt, so that no account can claim
    /// another zone's identifier for a genesis of its own.
    /// - Parameter genesis: The zone's first statement.
    package init(_ genesis: ZoneGenesis) {
        self = .hash(.zoneID, genesis.identityBytes)
    }
}
