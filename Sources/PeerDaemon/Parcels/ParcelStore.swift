import Identity
import Logging
import Mailbox
import Node
import Store
import Sync

/// The storage of a relay's parcels: a database of its own, or a cluster.
enum ParcelStore {
    case database(SQLiteParcelStorage)
    case cluster(any ParcelCluster)

    /// Opens the storage that the configuration names.
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - openCluster: Opens a cluster; `nil` if the program is linked to no client of one.
    ///   - logger: The log.
    /// - Returns: The storage.
    /// - Throws: `StorageError`, `ParcelStorageError`; ``UnusableState`` if one of the two files is lost, and for a
    ///   cluster that is not safe although it has to be.
    static func open(
        _ configuration: DaemonConfiguration,
        openCluster: ParcelClusterOpening?,
        logger: Logger
    ) async throws -> ParcelStore {
        guard !configuration.relayServers.addresses.isEmpty else {
            let directory = StateDirectory(path: configuration.state)
            // A key in the configuration shows nothing about earlier files in the state directory.
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
            // Every answered operation is durable; no device relies on an operation that was not answered.
            try? storage.close()
        case .cluster(let storage):
            await storage.close()
        }
    }
}
