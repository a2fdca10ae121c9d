import Sync
import Wire

/// The assets that no record names any more: a list of them, and dropping those whose time is over.
struct AssetCollecting: Sendable {
    /// The most assets that are listed.
    private static let countMax = 1_000

    let store: CallerStore
    let service: AssetService

    private struct Unnamed: Sendable {
        let row: PayloadRow
        let heldByteCount: UInt64
        let asset: AssetCollectionView.Unnamed
    }

    func collect(dryRun: Bool) async throws(NodeError) -> AssetCollectionView {
        let found = try await store.read { transaction in
            let now = store.committer.wallMilliseconds
            let rows = try transaction.unneededPayloads(
                begunBefore: now,
                unnamedBefore: now,
                at: now,
                limit: Self.countMax
            )
            // A round of maintenance notes the time; until then it is now.
            let unmarked = try transaction.payloadsToMark(limit: Self.countMax).filter { $0.unnamedSince == nil }
            return try (rows + unmarked).compactMap { try Self.unnamed($0, at: now, in: transaction) }
        }.sorted { ($0.asset.since, $0.asset.asset) < ($1.asset.since, $1.asset.asset) }
        if found.contains(where: { $0.row.unnamedSince == nil }) { service.wake() }
        let numbers = found.map(\.row.number)
        let droppedCount = dryRun ? 0 : try await drop(numbers)
        return AssetCollectionView(
            assets: found.map(\.asset),
            heldByteCount: found.reduce(0) { $0 + $1.heldByteCount },
            droppedCount: droppedCount
        )
    }

    private static func unnamed(
        _ row: PayloadRow,
        at now: UInt64,
        in transaction: any NodeTransaction
    ) throws -> Unnamed? {
        guard row.isAsset, row.state != .released, let id = row.id else { return nil }
        let since = row.unnamedSince ?? now
        var held = row.state == .present ? row.byteCount : 0
        if row.state == .wanted {
            held = UInt64(try transaction.chunkCounts(of: row.number).present) * UInt64(row.chunkByteCount)
        }
        let asset = AssetCollectionView.Unnamed(
            asset: id,
            byteCount: row.byteCount,
            since: since,
            until: since + Assets.unnamedMilliseconds
        )
        return Unnamed(row: row, heldByteCount: min(held, row.byteCount), asset: asset)
    }

    /// Drops the payloads whose time is over, as the daemon does by itself, and returns how many of the listed ones are gone.
    private func drop(_ numbers: [UInt64]) async throws(NodeError) -> Int {
        var isDone = false
        while !isDone, !Task.isCancelled {
            let dropped = try await store.keep { [store] transaction in
                try Payloads(store.committer).drop(in: &transaction)
            } whenDurable: { [commitService = store.commitService] in
                commitService.announce($0)
            }
            isDone = dropped.number == nil
        }
        return try await store.read { transaction in
            try numbers.count { try transaction.payload(number: $0)?.id == nil }
        }
    }
}
