import KairanInterface
import Records
import Sync
import Wire

/// Answers requests about containers, and about the caller's use of them.
struct ContainerRequests: ContainerAPI {
    let store: CallerStore

    func list() async throws(NodeError) -> [ContainerStatus] {
        try await store.read { transaction in
            let zones = try store.zones.live(in: transaction)
            let named = zones.map { BytewiseString($0.genesis.container) }
            return try Set(named).union(store.scope.containers ?? []).sorted().map { container in
                try status(of: container, zones: zones, in: transaction)
            }
        }
    }

    func container(_ name: String) async throws(NodeError) -> ContainerStatus {
        try await store.read { transaction in
            let container = BytewiseString(name)
            let zones = try store.zones.live(in: transaction)
            let exists = zones.contains { BytewiseString($0.genesis.container) == container }
            guard exists || store.scope.containers?.contains(container) == true else {
                throw NodeError(
                    .containerUnknown,
                    "The container \"\(name)\" has no zone here.",
                    fix: "`kairan container ls` lists the containers; the first zone makes one."
                )
            }
            return try status(of: container, zones: zones, in: transaction)
        }
    }

    func accountReadiness() async throws(NodeError) -> AccountReadiness {
        let used = try await store.read { try store.limit.storedByteCount(in: $0) }
        let (state, obstacle) = obstacle(used: used)
        return AccountReadiness(
            account: store.identity.account,
            state: state,
            obstacle: obstacle,
            isRecovering: store.commitService.isRecovering,
            usedByteCount: used,
            byteCountMax: store.scope.byteCountMax
        )
    }

    /// The error that any write of this caller would be refused with now.
    private func obstacle(used: UInt64) -> (AccountAvailability.Status, NodeError?) {
        if store.identity.isRemoved { return (.noAccount, PairingRefusal.removedDevice) }
        if !store.identity.mayWrite { return (.restricted, .readOnly) }
        let warnings = store.commitService.health.all
        if let warning = warnings.first(where: { $0.code == CommitService.diskFullCode }) {
            return (.temporarilyUnavailable, NodeError(.diskFull, warning.message, fix: warning.fix))
        }
        if let warning = warnings.first(where: { $0.code == HealthWarning.storageDisplacedCode }) {
            return (.temporarilyUnavailable, NodeError(.storageFailed, warning.message, fix: warning.fix))
        }
        if let limit = store.scope.byteCountMax, used >= limit { return (.restricted, .overLimit(used, of: limit)) }
        return (.available, nil)
    }

    private func status(
        of container: BytewiseString,
        zones: [ZoneRow],
        in transaction: any NodeTransaction
    ) throws -> ContainerStatus {
        let committer = store.committer
        var databases: [ZoneDatabase: [ZoneSummary]] = [:]
        for zone in zones where BytewiseString(zone.genesis.container) == container {
            let overview = try ZoneViews(committer).overview(of: zone.id, in: transaction)
            let summary = ZoneSummary(
                zone: zone.id,
                name: zone.genesis.name,
                kind: zone.genesis.form,
                records: try transaction.programRecordCount(zone: zone.id),
                bytes: try transaction.programByteCount(zone: zone.id)
            )
            databases[ZoneDatabase(overview, of: store.identity.account), default: []].append(summary)
        }
        return ContainerStatus(
            container: container.string,
            databases: ZoneDatabase.allCases.map { database in
                let zones = (databases[database] ?? []).sorted {
                    (BytewiseString($0.name), $0.zone) < (BytewiseString($1.name), $1.zone)
                }
                return DatabaseStatus(database: database, zones: zones)
            },
            usedByteCount: try store.scope.byteCountMax.map { _ in
                try store.limit.storedByteCount(in: transaction)
            },
            byteCountMax: store.scope.byteCountMax
        )
    }
}
