package import Logging
package import Mailbox

/// A storage of parcels on several servers, which can report how safe it is.
package protocol ParcelCluster: ParcelStorage {
    /// Looks for faults that make, or may make, the servers lose parcels sooner than they should.
    /// - Returns: The faults; none if the servers are as they should be.
    /// - Throws: Any error of the storage.
    func faults() async throws -> [ParcelClusterFault]

    /// Ends the connection; calls under way fail, and so do later ones.
    func close() async
}

/// A fault of a cluster.
package struct ParcelClusterFault: Sendable {
    /// The fault and its place.
    package var words: String
    /// The next step.
    package var fix: String
    /// Whether a cluster of several servers is designed to survive the fault: a server is away or catches up.
    package var isPassing: Bool

    /// Makes a fault.
    /// - Parameters: as the properties of the same names.
    package init(words: String, fix: String, isPassing: Bool) {
        (self.words, self.fix, self.isPassing) = (words, fix, isPassing)
    }
}

/// The place of a cluster, from the configuration.
package struct ParcelClusterPlace: Sendable {
    /// Its servers, as `nats://` or `tls://` addresses; they may have passwords in them.
    package let servers: [String]
    /// The same servers with a user that may query their configuration; empty to skip such queries.
    package let observers: [String]
    /// A file with the certificates that sign the servers'; `nil` for the system's.
    package let authorityFile: String?
}

/// Opens a cluster, for a program that is linked to the client of one.
///
/// The daemon itself knows no cluster: a program without one has neither the client nor its libraries in memory.
package typealias ParcelClusterOpening = @Sendable (ParcelClusterPlace, Logger) async throws -> any ParcelCluster
