import KairanInterface
import Sync
import Wire

/// Evicts the content of an asset for a caller.
struct AssetEvictions: Sendable {
    /// The most promises that a caller may ask for.
    static let copiesMax = 64

    let store: CallerStore
    let sync: SyncService
    let service: AssetService

    /// Evicts the content of an asset.
    /// - Parameters:
    ///   - asset: The asset.
    ///   - copies: The promises of other devices that it takes.
    ///   - countsOthers: Whether those of devices of other accounts count.
    /// - Returns: The outcome; nothing is done where the content is not here.
    /// - Throws: `NodeError` `assetNotSafe`, `assetPromised`, `assetBusy`, `assetLinked`, `assetUnavailable`, `notReady`, `storageFailed`.
    func evict(
        _ asset: StoredAsset,
        copies: Int,
        countsOthers: Bool
    ) async throws(NodeError) -> AssetEvictionView {
        switch asset.state {
        case .present: break
        case .remote, .evicted:
            return AssetEvictionView(asset: asset.payload, state: asset.state.word, freedByteCount: 0, holders: [])
        case .missing: throw .assetUnavailable(.missing)
        case .queued, .partial, .unresolved: throw .assetBusy(.incomplete)
        }
        guard !service.isRead(asset.payload) else { throw .assetRead }
        let outcome = await sync.evict(asset.payload, copies: copies, countsOthers: countsOthers)
        switch outcome {
        case .evicted(let byteCount, let answers):
            return AssetEvictionView(
                asset: asset.payload,
                state: .evicted,
                freedByteCount: byteCount,
                holders: answers.map(AssetHolderView.init)
            )
        case .notSafe(let answers):
            throw .assetNotSafe(copies: copies, answers, accounts: store.committer.accounts)
        case .refused(.promised(let until)): throw .assetPromised(until: until)
        case .refused(.linked): throw .assetLinked
        case .refused(.storage):
            throw NodeError(.storageFailed, "The storage failed; nothing was dropped.", fix: "See the daemon's log.")
        case .refused(let obstacle): throw .assetBusy(obstacle)
        case .withdrawn:
            throw NodeError(.notReady, "The eviction was ended; nothing was dropped.", fix: "Try again.")
        }
    }
}

extension AssetHolderView {
    /// The answer of a device for programs.
    init(_ answer: HolderAnswer) {
        let (word, until): (AssetHolder.Answer, UInt64?) =
            switch answer.word {
            case .promised(let until): (.promised, until)
            case .held: (.held, nil)
            case .absent: (.absent, nil)
            case .evicting: (.evicting, nil)
            case .refused: (.refused, nil)
            case .silent: (.silent, nil)
            case .unaware: (.unaware, nil)
            }
        self.init(device: answer.device, account: answer.account, answer: word, until: until)
    }
}
