/// The state of the daemon.
public struct DaemonStatus: Sendable, Hashable, Codable {
    /// The phases.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// Not all parts run yet.
        case starting
        /// All is well.
        case ready
        /// The store was lost or restored: it waits until it has met a peer.
        case recovering
        /// Something is wrong, see the warnings.
        case degraded
    }

    /// The product's version.
    public var version: String
    /// This device.
    public var device: String
    /// Its account.
    public var account: String
    /// The incarnation of its store; a new one begins after a restore.
    public var incarnation: String
    /// The phase of its life.
    public var state: State
    /// Connected peers.
    public var peers: Int
    /// Live zones.
    public var zones: Int
    /// Operations of this device that some device of the account has not acknowledged.
    public var pending: UInt64
    /// The port for peers; `nil` while it does not listen.
    public var listeningPort: Int?
    /// Warnings, worst first.
    public var health: [HealthNotice]

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        version: String,
        device: String,
        account: String,
        incarnation: String,
        state: State,
        peers: Int,
        zones: Int,
        pending: UInt64,
        listeningPort: Int?,
        health: [HealthNotice]
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

    enum CodingKeys: String, CodingKey {
        case version, device, account, incarnation, state, peers, zones, pending
        case listeningPort = "listening_port"
        case health
    }
}
