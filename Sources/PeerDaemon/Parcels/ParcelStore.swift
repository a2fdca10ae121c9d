import JetStream
import Identity
import Logging
import Mailbox
import Node
import Store
import Sync

/// What a relay keeps parcels in: a database of its own, or a cluster.
enum ParcelStore {
    case database(SQLiteParcelStorage)
    case cluster(JetStreamParcelStorage)

    /// Opens what the configuration says.
    /// - Throws: `StorageError`, `ParcelStorageError`; ``UnusableState`` where one of the two files is lost, and for a cluster that is
    ///   not safe where it has to be.
    static func open(_ configuration: DaemonConfiguration, logger: Logger) async throws -> ParcelStore {
        guard !configuration.relayServers.addresses.isEmpty else {
            let directory = StateDirectory(path: configuration.state)
            // A key in the configuration shows nothing of what was here.
            if configuration.relayKeyFile == nil {
                let found = try await SQLiteParcelStorage.found(in: directory)
                if case .refuse(let refusal) = try StateRepair(directory: directory.path).relayStart(found) {
                    throw UnusableState(description: refusal.words(in: directory.path), outlook: .stays)
                }
            }
            return .database(try await SQLiteParcelStorage.open(directory))
        }
        let options = JetStreamOptions(
            servers: configuration.relayServers.addresses,
            authorityFile: configuration.relayAuthorityFile,
            observers: configuration.relayObservers.addresses,
            replicaCount: configuration.relayServers.addresses.count < 3 ? 1 : 3
        )
        let storage = try await JetStreamParcelStorage.open(options, logger: logger)
        // A server that is away or catches up is what there are several for.
        let findings = try await storage.findings().filter { $0.code != .replicaBehind }
        if configuration.demandsSafeCluster, let finding = findings.first {
            await storage.close()
            // The cluster may be safe at the next start.
            throw UnusableState(
                description: "relay-storage: \(finding.words) \(finding.fix) (relay-storage-strict is set)",
                outlook: .passes
            )
        }
        return .cluster(storage)
    }

    /// The storage.
    var storage: any ParcelStorage {
        switch self {
        case .database(let storage): storage
        case .cluster(let storage): storage
        }
    }

    /// Closes it in order.
    func close() async {
        switch self {
        case .database(let storage):
            // What it answered is durable; what it has not answered nobody counts on.
            try? storage.close()
        case .cluster(let storage):
            await storage.close()
        }
    }
}
