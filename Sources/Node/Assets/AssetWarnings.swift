import Sync
import Wire

/// The warnings about assets that do not arrive.
struct AssetWarnings: Sendable {
    /// The most wanted payloads that are looked at.
    private static let countMax = 1_000

    let store: CallerStore
    let sync: SyncService

    /// Raises the warnings, or clears them; called each minute.
    func look() async throws {
        let wanted = try await store.storage.read { transaction in
            try transaction.wantedPayloads(limit: Self.countMax).filter(\.isAsset)
        }
        let ids = Set(wanted.compactMap(\.id))
        let prospects = ids.isEmpty ? [:] : await sync.prospects(of: ids)
        let missing = prospects.values.count { $0 == .missing }
        store.commitService.health.set(
            Self.missingCode,
            .warning,
            listing: missing == 0 ? [] : ["\(missing)"],
            { "Assets that this device wants, and that no connected device has: \($0)." },
            fix: "`kairan asset ls ZONE` names them; let this device meet the ones that made their records."
        )
    }

    /// The warning that is raised while wanted assets are on no connected device that may have them.
    private static let missingCode = "assets.missing"
}
