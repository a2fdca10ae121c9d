import KairanInterface
import Records
import Sync
import Wire

/// An asset as the store shows it: with the state that it has before sessions are asked for their prospects.
struct StoredAsset: Sendable {
    let zone: ZoneID
    let record: String
    let field: String
    /// As ``AssetPlace/item``.
    let item: Int?
    let descriptor: AssetDescriptor
    let state: AssetState
    /// The machines that are known to hold the content; `nil` where no answer needs them.
    var copies: ContentCopies?
    /// The names of the relays that keep its content.
    let relays: [String]
    /// The linked files with the content, as far as the caller sees them; `nil` where it is not in such files alone.
    var links: [String]?

    var payload: PayloadID { descriptor.payload }

    /// Whether its content is neither here nor wanted.
    var isFetchable: Bool { state == .remote || state == .evicted }

    /// Returns the asset for programs, by the prospects of wanted payloads.
    func view(_ prospects: [PayloadID: PayloadProspect]) -> AssetView {
        AssetView(
            asset: payload,
            zone: zone,
            record: record,
            field: field,
            item: item,
            byteCount: descriptor.size,
            mediaType: descriptor.mediaType,
            fileName: descriptor.fileName,
            modifiedAt: descriptor.modified,
            state: state.with(prospects[payload]).word,
            percent: state.shownPercent,
            copies: copies.map(AssetCopiesView.init),
            relays: relays,
            files: links
        )
    }
}

extension AssetCopiesView {
    /// The machines for programs.
    init(_ copies: ContentCopies) {
        self.init(
            machineCount: copies.machineCount,
            relayCount: copies.relayCount,
            holders: copies.holders.map { Holder(device: $0.device, statedAt: $0.stated) }
        )
    }
}

extension AssetState {
    /// Whether the prospects of sessions make a difference: the content is wanted, and not all of it is here.
    var awaitsSessions: Bool {
        switch self {
        case .queued, .partial, .unresolved, .missing: true
        case .remote, .present, .evicted: false
        }
    }

    /// The word of the interface.
    var word: Asset.State {
        switch self {
        case .remote: .remote
        case .queued: .queued
        case .partial: .partial
        case .present: .present
        case .evicted: .evicted
        case .unresolved: .unresolved
        case .missing: .missing
        }
    }

    /// The percentage of the content that is here, as far as the state says so.
    var shownPercent: Int {
        switch self {
        case .present: 100
        case .partial(let percent): min(max(percent, 0), 100)
        case .remote, .queued, .evicted, .unresolved, .missing: 0
        }
    }
}

extension FieldValue {
    /// The assets in a field's value, each with its index as in ``AssetPlace/item``.
    /// - Complexity: O(elements).
    var placedAssets: [(item: Int?, asset: AssetDescriptor)] {
        if case .asset(let asset) = self { return [(nil, asset)] }
        var found: [(item: Int?, asset: AssetDescriptor)] = []
        var count = 0
        collectAssets(&found, counting: &count)
        return found
    }

    private func collectAssets(_ found: inout [(item: Int?, asset: AssetDescriptor)], counting count: inout Int) {
        switch self {
        case .list(let elements):
            for element in elements { element.collectAssets(&found, counting: &count) }
        case .set(let state):
            for entry in state.entries { entry.element.collectAssets(&found, counting: &count) }
        case .asset(let asset):
            found.append((count, asset))
            count += 1
        default:
            count += 1
        }
    }
}

/// A place of an asset in a record.
struct AssetPosition: Sendable {
    let field: String
    /// As ``AssetPlace/item``.
    let item: Int?
    let asset: AssetDescriptor
}

extension RecordBody {
    /// The places at which the record shows assets, by the payloads of these.
    /// - Complexity: O(values): a record has room for thousands of assets.
    var shownPlaces: [PayloadID: [AssetPosition]] {
        Dictionary(grouping: shownFields.flatMap { $0.value.positions(in: $0.name) }) { $0.asset.payload }
    }

    /// The places at which the record shows an asset; where it shows it nowhere, those of values that lost a conflict.
    func places(of payload: PayloadID) -> [AssetPosition] {
        if let shown = shownPlaces[payload] { return shown }
        return fields.flatMap { field in
            field.entries.flatMap { $0.value.positions(in: field.name) }.filter { $0.asset.payload == payload }
        }
    }
}

extension FieldValue {
    fileprivate func positions(in field: String) -> [AssetPosition] {
        placedAssets.map { AssetPosition(field: field, item: $0.item, asset: $0.asset) }
    }
}
