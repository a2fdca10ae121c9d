/// The cluster that a storage uses, and its settings.
package struct JetStreamOptions: Sendable {
    /// Servers of the cluster, of which one is enough to find the others.
    ///
    /// `nats://` or `tls://`, a host and a port, with user and password before the host where the servers ask for them. One with `tls://`
    /// is enough for TLS with all.
    package var servers: [String]
    /// A file with the certificates that sign those of the servers; `nil` for the system's.
    package var authorityFile: String?
    /// The same servers with a user of their system account, who may query their settings; empty: the settings are
    /// not queried.
    package var observers: [String]
    /// The stream's name; the same for all front ends of a relay.
    package var stream: String
    /// The number of servers that keep each parcel, when the stream is made: 1, 3 or 5.
    package var replicaCount: Int
    /// The maximum time to wait for one answer.
    package var patience: Duration
    /// Calls that are under way at once, each on a thread.
    package var workerCount: Int

    /// Makes options.
    /// - Parameters: as the properties of the same names.
    package init(
        servers: [String],
        authorityFile: String? = nil,
        observers: [String] = [],
        stream: String = "KAIRAN",
        replicaCount: Int = 3,
        patience: Duration = .seconds(10),
        workerCount: Int = 8
    ) {
        self.servers = servers
        self.authorityFile = authorityFile
        self.observers = observers
        self.stream = stream
        self.replicaCount = replicaCount
        self.patience = patience
        self.workerCount = workerCount
    }
}
