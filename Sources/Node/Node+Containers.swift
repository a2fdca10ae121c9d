import KairanInterface
import Records
import Sync
import Wire

extension Node {
    /// See `ContainerAPI`.
    package func containers() async throws(NodeError) -> [ContainerStatus] {
        try await reading { [self] transaction in
            let zones = try rows(transaction).filter { !$0.isDeleted }
            let named = zones.map { BytewiseString($0.genesis.container) }
            return try Set(named).union(scope.containers ?? []).sorted().map { container in
                try status(ofContainer: container, zones: zones, in: transaction)
            }
        }
    }

    /// See `ContainerAPI`.
    package func container(_ name: String) async throws(NodeError) -> ContainerStatus {
        try await reading { [self] transaction in
            let container = BytewiseString(name)
            let zones = try rows(transaction).filter { !$0.isDeleted }
            let exists = zones.contains { BytewiseString($0.genesis.container) == container }
            guard exists || scope.containers?.contains(container) == true else {
                throw NodeError(
                    .containerUnknown,
                    "The container \"\(name)\" has no zone here.",
                    fix: "`kairan container ls` lists the containers; the first zone makes one."
                )
            }
            return try status(ofContainer: container, zones: zones, in: transaction)
        }
    }

    /// See `ContainerAPI`.
    package func accountStanding() async throws(NodeError) -> AccountStanding {
        let used = try await reading { [self] in try storedByteCount(in: $0) }
        let (state, obstacle) = obstacle(used: used)
        return AccountStanding(
            account: identity.account,
            state: state,
            obstacle: obstacle,
            isRecovering: replica.isRecovering,
            usedByteCount: used,
            byteCountMax: scope.byteCountMax
        )
    }

    /// The error that any write of this caller would be refused with now.
    private func obstacle(used: UInt64) -> (AccountAvailability.Status, NodeError?) {
        if identity.isRemoved { return (.noAccount, PairingRefusal.removedDevice) }
        if !identity.mayWrite { return (.restricted, Self.readOnly) }
        if let warning = replica.health.all.first(where: { $0.code == ReplicaService.diskFullCode }) {
            return (.temporarilyUnavailable, NodeError(.diskFull, warning.message, fix: warning.fix))
        }
        if let warning = replica.health.all.first(where: { $0.code == HealthWarning.storageDisplacedCode }) {
            return (.temporarilyUnavailable, NodeError(.storageFailed, warning.message, fix: warning.fix))
        }
        if let limit = scope.byteCountMax, used >= limit { return (.restricted, Self.overLimit(used, of: limit)) }
        return (.available, nil)
    }

    private func status(
        ofContainer container: BytewiseString,
        zones: [ZoneRow],
        in transaction: any NodeTransaction
    ) throws -> ContainerStatus {
        var databases: [ZoneDatabase: [ZoneSummary]] = [:]
        for zone in zones where BytewiseString(zone.genesis.container) == container {
            let standing = try ZoneViews(replica.committer).standing(of: zone.id, in: transaction)
            let summary = ZoneSummary(
                zone: zone.id,
                name: zone.genesis.name,
                kind: zone.genesis.form,
                records: try transaction.programRecordCount(zone: zone.id),
                bytes: try transaction.programByteCount(zone: zone.id)
            )
            databases[ZoneDatabase(standing, of: identity.account), default: []].append(summary)
        }
        return ContainerStatus(
            container: container.string,
            databases: ZoneDatabase.allCases.map { database in
                let zones = (databases[database] ?? []).sorted {
                    (BytewiseString($0.name), $0.zone) < (BytewiseString($1.name), $1.zone)
                }
                return DatabaseStatus(database: database, zones: zones)
            },
            usedByteCount: try scope.byteCountMax.map { _ in try storedByteCount(in: transaction) },
            byteCountMax: scope.byteCountMax
        )
    }
}
