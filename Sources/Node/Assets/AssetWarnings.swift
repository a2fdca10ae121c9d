import Sync
import Wire

/// The warnings about assets that do not arrive, and about contents that are on this device alone.
struct AssetWarnings: Sendable {
    /// The most wanted payloads that are looked at.
    private static let countMax = 1_000

    let store: CallerStore
    let sync: SyncService
    /// The look for contents that are on this device alone.
    let soleCopies = SoleCopyWatch()

    /// Raises the warnings, or clears them; called each minute.
    func look() async throws {
        try await lookForMissing()
        guard let found = try await soleCopies.look(in: store) else { return }
        store.commitService.health.set(
            Self.singleCopyCode,
            .info,
            listing: found.count == 0 ? [] : ["\(found.count) (\(found.byteCount) bytes)"],
            { "Contents that are on this machine alone, as far as the account's other machines have said: \($0)." },
            fix: "`kairan asset ls ZONE --copies-below 2` names them; let another machine fetch them, or make a backup."
        )
    }

    private func lookForMissing() async throws {
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
    /// The warning that is raised while contents are known to be on this device alone.
    private static let singleCopyCode = "assets.single_copy"
}
