import KairanInterface
import Node
import Wire

extension LinkedAssetView {
    /// The resource.
    var resource: LinkedAsset { LinkedAsset(asset: asset.text, zone: zone.text, size: byteCount, file: file) }
}

extension LinkView {
    /// The resource.
    var resource: AssetLink {
        AssetLink(
            asset: asset.text,
            root: root,
            file: file,
            size: byteCount,
            state: state,
            place: place.map { Asset.Place(zone: $0.zone, record: $0.record, field: $0.field, item: $0.item) }
        )
    }
}

extension LinkViewPage: ResourceView {
    var resource: AssetLinkPage { AssetLinkPage(links: links.map(\.resource), cursor: cursor) }
}
