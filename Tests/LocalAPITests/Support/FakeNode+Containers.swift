import struct KairanInterface.AccountAvailability
import Node
import Wire

extension FakeNode {
    static let containerStatus = ContainerStatus(
        container: "org.example",
        databases: [
            DatabaseStatus(
                database: .private,
                zones: [ZoneSummary(zone: zoneID, name: "notes", kind: .custom, records: 2, bytes: 300)]
            ),
            DatabaseStatus(database: .shared, zones: []),
            DatabaseStatus(database: .public, zones: []),
        ],
        usedByteCount: 300,
        byteCountMax: 1_000
    )

    func list() async throws(NodeError) -> [ContainerStatus] {
        try enter("containers")
        return [Self.containerStatus]
    }

    func container(_ name: String) async throws(NodeError) -> ContainerStatus {
        try enter("container \(name)")
        return Self.containerStatus
    }

    func goneZones() async throws(NodeError) -> [GoneZoneStatus] {
        try enter("goneZones")
        return [
            GoneZoneStatus(
                zone: Self.zoneID,
                name: "old",
                container: "org.example",
                end: ZoneEnd(.deleted, reason: "done")
            )
        ]
    }

    func accountReadiness() async throws(NodeError) -> AccountReadiness {
        try enter("accountReadiness")
        return AccountReadiness(
            account: Self.account,
            state: .available,
            obstacle: nil,
            isRecovering: true,
            usedByteCount: 300,
            byteCountMax: 1_000
        )
    }

    func defaultZone(of container: String) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool) {
        try enter("defaultZone \(container)")
        return (zoneStatus, container == "new")
    }

    func pairZone(
        name: String,
        container: String,
        with account: String
    ) async throws(NodeError) -> (zone: ZoneStatus, isNew: Bool) {
        try enter("pairZone \(name) \(container) \(account)")
        return (zoneStatus, container == "new")
    }
}
