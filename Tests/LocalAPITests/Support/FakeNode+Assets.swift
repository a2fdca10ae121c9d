import KairanInterface
import Node
import Synchronization
import Wire

extension FakeNode {
    static let assetID = PayloadID(Digest32(Array(repeating: 8, count: 32)) ?? .zero)

    /// The only place with an asset: a field of a list, and the field itself.
    static let place = AssetPlace(zone: "notes", record: "lake", field: "picture")

    /// An asset of the fake node.
    func assetView(_ place: AssetPlace = place) -> AssetView {
        state.withLock { state in
            AssetView(
                asset: Self.assetID,
                zone: Self.zoneID,
                record: place.record,
                field: place.field,
                item: place.item,
                byteCount: state.content.byteCount,
                mediaType: state.content.contentType,
                fileName: state.content.fileName,
                modifiedAt: 1_784_626_200_125,
                state: state.assetState,
                percent: state.assetPercent
            )
        }
    }

    func find(_ place: AssetPlace) throws(NodeError) -> AssetView {
        try checkZone(place.zone)
        guard place.record == "lake", place.field == "picture", place.item ?? 0 < 2 else {
            throw NodeError(.assetUnknown, "There is no asset.", fix: "List them.")
        }
        return assetView(place)
    }

    static func text(_ place: AssetPlace) -> String {
        "\(place.record).\(place.field)" + (place.item.map { "[\($0)]" } ?? "")
    }

    func assets(zone: String, after cursor: String?, limit: Int) async throws(NodeError) -> AssetViewPage {
        try enter("assets after:\(cursor ?? "-") limit:\(limit)")
        try checkZone(zone)
        return AssetViewPage(assets: [assetView()], cursor: cursor == nil ? "c1" : nil)
    }

    func asset(_ place: AssetPlace) async throws(NodeError) -> AssetView {
        try enter("asset \(Self.text(place))")
        return try find(place)
    }

    func content(
        _ place: AssetPlace,
        from offset: UInt64,
        waitMilliseconds: UInt64
    ) async throws(NodeError) -> ContentPart {
        try enter("content of \(Self.text(place)) \(offset) \(waitMilliseconds)")
        _ = try find(place)
        let (content, count, failure, gate) = state.withLock { state in
            if let notice = state.whenContentRead { notice(&state, offset) }
            return (state.content, state.contentPartByteCount, state.contentFailure, state.gate)
        }
        if let failure, offset >= failure.offset {
            if waitMilliseconds > 0, let gate {
                await gate()
                state.withLock { $0.hasSeenCancellation = Task.isCancelled }
            }
            throw failure.error
        }
        var part = content
        part.bytes = Array(content.bytes.dropFirst(Int(clamping: offset)).prefix(count))
        return part
    }

    func fetch(_ place: AssetPlace) async throws(NodeError) -> AssetView {
        try enter("fetch \(Self.text(place))")
        return try find(place)
    }

    func cancelFetch(_ place: AssetPlace) async throws(NodeError) -> AssetView {
        try enter("cancel \(Self.text(place))")
        return try find(place)
    }

    func policy(zone: String) async throws(NodeError) -> AssetPolicyView {
        try enter("policy")
        try checkZone(zone)
        return AssetPolicyView(policy: .always, isDefault: true)
    }

    func setPolicy(_ policy: AssetPolicyChoice?, zone: String) async throws(NodeError) -> AssetPolicyView {
        try enter("setPolicy \(policy.map { "\($0)" } ?? "-")")
        try checkZone(zone)
        return AssetPolicyView(policy: policy ?? .always, isDefault: policy == nil)
    }

    func setKeptAtRelays(_ isKept: Bool, zone: String) async throws(NodeError) -> AssetPolicyView {
        try enter("setKeptAtRelays \(isKept)")
        try checkZone(zone)
        return AssetPolicyView(policy: .always, isDefault: true, isKeptAtRelays: isKept)
    }

    func evict(_ place: AssetPlace, copies: Int, countsOthers: Bool) async throws(NodeError) -> AssetEvictionView {
        try enter("evict \(Self.text(place)) copies:\(copies) others:\(countsOthers)")
        let asset = try find(place)
        let holder = AssetHolderView(device: .zero, account: .zero, answer: .promised, until: 86_400_000)
        guard copies < 3 else {
            throw NodeError(.assetNotSafe, "No.", fix: "Connect them.", facts: [.holders([holder])])
        }
        return AssetEvictionView(asset: asset.asset, state: .evicted, freedByteCount: 9, holders: [holder])
    }

    func explain(_ asset: String, asksHolders: Bool) async throws(NodeError) -> AssetExplanationView {
        try enter("explain \(asset)\(asksHolders ? " holders" : "")")
        guard asset == Self.assetID.text else {
            throw NodeError(.assetUnknown, "There is no such asset.", fix: "List them.")
        }
        return AssetExplanationView(
            asset: Self.assetID,
            byteCount: 9,
            state: .unresolved,
            percent: 0,
            places: [AssetPlace(zone: Self.zoneID.text, record: "lake", field: "picture", item: 1)],
            reasons: ["No device has it."],
            fix: "Wait.",
            unnamedSince: 0,
            keptUntil: 604_800_000,
            promisedUntil: asksHolders ? 86_400_000 : nil,
            holders: asksHolders ? [AssetHolderView(device: .zero, account: .zero, answer: .held)] : nil
        )
    }

    func collect(dryRun: Bool) async throws(NodeError) -> AssetCollectionView {
        try enter("collect \(dryRun)")
        let unnamed = AssetCollectionView.Unnamed(asset: Self.assetID, byteCount: 9, since: 0, until: 604_800_000)
        return AssetCollectionView(assets: [unnamed], heldByteCount: 9, droppedCount: dryRun ? 0 : 1)
    }
}
