import Records
import Sync
import Wire

extension Node {
    /// Raises the warning that a zone takes no further writers but its administrators, or clears it.
    func noteRoom() async throws {
        let names = try await storage.read { [self] transaction in
            try rows(transaction).filter { zone in
                guard zone.state == .live else { return false }
                let logs = try transaction.logs(zone: zone.id)
                return Lane.allCases.contains { LaneRoom(logs, $0).isCrowded }
            }.map(\.genesis.name)
        }
        guard !names.isEmpty else { return replica.health.clear(Self.crowdedCode) }
        replica.health.set(
            HealthWarning(
                code: Self.crowdedCode,
                severity: .warning,
                message: "Zones in which so many stores have written that further ones cannot write: "
                    + "\(names.joined(separator: ", ")).",
                fix:
                    "`kairan share ls ZONE` lists the participants; revoke unknown ones. Copy the records into another"
                    + " zone with `kairan export` and `kairan import` when new machines have to write."
            )
        )
    }

    /// The warning that is raised while a zone has no place left for ordinary writers.
    static let crowdedCode = "zone.crowded"
}
