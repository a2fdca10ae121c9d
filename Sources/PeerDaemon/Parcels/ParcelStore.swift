import Identity
import Logging
import Mailbox
import Node
import Store
import Sync

/// What a relay keeps parcels in: a database of its own, or a cluster.
enum ParcelStore {
    case database(SQLiteParcelStorage)
    case cluster(any ParcelCluster)

    /// Opens what the configuration says.
    /// - Parameters:
    ///   - configuration: What it is.
    ///   - openCluster: Opens a cluster; `nil` where the program is linked to no client of one.
    ///   - logger: Takes what was found.
    /// - Returns: The storage.
    /// - Throws: `StorageError`, `ParcelStorageError`; ``UnusableState`` where one of the two files is lost, and for a cluster that is
    ///   not safe where it has to be.
    static func open(
        _ configuration: DaemonConfiguration,
        openCluster: ParcelClusterOpening?,
        logger: Logger
    ) async throws -> ParcelStore {
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
        guard let openCluster else { throw configuration.clusterRefusal }
        let storage = try await openCluster(
            ParcelClusterPlace(
                servers: configuration.relayServers.addresses,
                observers: configuration.relayObservers.addresses,
                authorityFile: configuration.relayAuthorityFile
            ),
            logger
        )
        let faults = try await storage.faults().filter { !$0.isPassing }
        if configuration.demandsSafeCluster, let fault = faults.first {
            await storage.close()
            // The cluster may be safe at the next start.
            throw UnusableState(
                description: "relay-storage: \(fault.words) \(fault.fix) (relay-storage-strict is set)",
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
