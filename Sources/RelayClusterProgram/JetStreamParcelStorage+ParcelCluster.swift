package import JetStream
package import PeerDaemon

extension JetStreamParcelStorage: ParcelCluster {
    /// See `ParcelCluster`.
    package func faults() async throws -> [ParcelClusterFault] {
        try await findings().map { finding in
            ParcelClusterFault(words: finding.words, fix: finding.fix, isPassing: finding.code == .replicaBehind)
        }
    }
}
