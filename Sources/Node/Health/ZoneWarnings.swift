import Records
import Sync
import Wire

/// The warnings about zones in which something waits for a person.
struct ZoneWarnings: Sendable {
    let store: CallerStore

    /// Raises the warnings, or clears them; called each minute.
    func look() async throws {
        let quarantined = try await names { zone, transaction in
            try QuarantineDecisions(store.committer).hasEntries(zone.id, in: transaction)
        }
        store.commitService.health.set(
            Self.quarantineCode,
            .info,
            listing: quarantined,
            { "Writes of removed devices or rights wait in quarantine: \($0)." },
            fix: "`kairan quarantine ls` lists them; adopt the writes to keep, and purge the rest."
        )
        let crowded = try await names { zone, transaction in
            let logs = try transaction.logs(zone: zone.id)
            return Lane.allCases.contains { LaneRoom(logs, $0).isCrowded }
        }
        store.commitService.health.set(
            Self.crowdedCode,
            .warning,
            listing: crowded,
            { "Zones in which so many stores have written that further ones cannot write: \($0)." },
            fix:
                "`kairan share ls ZONE` lists the participants; revoke unknown ones. Copy the records into another"
                + " zone with `kairan export` and `kairan import` when new machines have to write."
        )
    }

    /// The names of the live zones for which a condition holds, in the order of their ids.
    private func names(
        where isConcerned: @escaping @Sendable (ZoneRow, any NodeTransaction) throws -> Bool
    ) async throws -> [String] {
        try await store.storage.read { transaction in
            try store.zones.all(in: transaction)
                .filter { try $0.state == .live && isConcerned($0, transaction) }.map(\.genesis.name)
        }
    }

    /// The warning that is raised while writes above a cut wait for a decision.
    private static let quarantineCode = "quarantine.waiting"
    /// The warning that is raised while a zone has no place left for ordinary writers.
    private static let crowdedCode = "zone.crowded"
}
