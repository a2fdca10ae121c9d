import KairanInterface
import Node
import Wire

extension ContainerStatus: ResourceView {
    var resource: ContainerSummary {
        let zones = databases.flatMap(\.zones)
        return ContainerSummary(
            container: container,
            zones: UInt64(zones.count),
            records: zones.sum(\.records),
            bytes: zones.sum(\.bytes),
            databases: databases.map { database in
                ContainerSummary.Database(
                    database: database.database.resource,
                    records: database.zones.sum(\.records),
                    bytes: database.zones.sum(\.bytes),
                    zones: database.zones.map {
                        ContainerSummary.ZoneSummary(
                            zone: $0.zone.text,
                            name: $0.name,
                            kind: $0.kind.resource,
                            records: $0.records,
                            bytes: $0.bytes
                        )
                    }
                )
            },
            usedBytes: usedByteCount,
            limitBytes: byteCountMax
        )
    }
}

extension AccountReadiness: ResourceView {
    var resource: AccountAvailability {
        resource(
            state,
            reason: obstacle.map {
                AccountAvailability.Reason(code: $0.code.rawValue, message: $0.message, fix: $0.fix)
            }
        )
    }

    /// The answer to a program that the configuration lets read only.
    func resource(refusedWith refusal: RequestError) -> AccountAvailability {
        resource(
            .restricted,
            reason: AccountAvailability.Reason(
                code: refusal.code.rawValue,
                message: refusal.message,
                fix: refusal.fix
            )
        )
    }

    private func resource(
        _ status: AccountAvailability.Status,
        reason: AccountAvailability.Reason?
    ) -> AccountAvailability {
        AccountAvailability(
            account: account.text,
            status: status,
            mayWrite: reason == nil,
            reason: reason,
            isRecovering: isRecovering,
            usedBytes: usedByteCount,
            limitBytes: byteCountMax
        )
    }
}

extension [ZoneSummary] {
    fileprivate func sum(_ member: (ZoneSummary) -> UInt64) -> UInt64 {
        reduce(UInt64(0)) { $0 &+ member($1) }
    }
}
