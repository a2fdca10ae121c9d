package import KairanInterface
package import Wire

/// The state of the node.
package struct NodeStatus: Sendable {
    /// The product's version.
    package var version: String
    /// This device.
    package var device: DeviceID
    /// Its account.
    package var account: AccountID
    /// The store's incarnation.
    package var incarnation: Incarnation
    /// The phase.
    package var state: DaemonStatus.State
    /// Connected peers.
    package var peers: Int
    /// Live zones.
    package var zones: Int
    /// Operations of this device that some active device of the account has not acknowledged.
    package var pending: UInt64
    /// The process's port for peers; `nil` while it does not listen.
    package var listeningPort: UInt16?
    /// Warnings, worst first.
    package var health: [HealthWarning]

    /// Makes a status.
    package init(
        version: String,
        device: DeviceID,
        account: AccountID,
        incarnation: Incarnation,
        state: DaemonStatus.State,
        peers: Int,
        zones: Int,
        pending: UInt64,
        listeningPort: UInt16?,
        health: [HealthWarning]
    ) {
        self.version = version
        self.device = device
        self.account = account
        self.incarnation = incarnation
        self.state = state
        self.peers = peers
        self.zones = zones
        self.pending = pending
        self.listeningPort = listeningPort
        self.health = health
    }
}
