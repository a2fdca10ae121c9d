import KairanInterface
import Node

extension FakeNode {
    /// The file of the fake node's only link.
    static let linkedFile = "/srv/photos/lake.jpg"

    private func check(_ file: String, _ root: String?) throws(NodeError) {
        guard file == Self.linkedFile || (root == "/srv/photos" && file == "lake.jpg") else {
            throw NodeError(.linkPath, "It is beneath no root.", fix: "Name another file.")
        }
    }

    func link(_ file: String, root: String?, zone: String) async throws(NodeError) -> LinkedAssetView {
        try enter("link \(file) root:\(root ?? "-")")
        try checkZone(zone)
        try check(file, root)
        return LinkedAssetView(asset: Self.assetID, zone: Self.zoneID, byteCount: 9, file: Self.linkedFile)
    }

    func link(_ file: String, root: String?, to place: AssetPlace) async throws(NodeError) -> AssetView {
        try enter("link \(file) root:\(root ?? "-") to \(Self.text(place))")
        var asset = try find(place)
        try check(file, root)
        asset.files = [Self.linkedFile]
        return asset
    }

    func unlink(_ place: AssetPlace, file: String?, root: String?) async throws(NodeError) -> AssetView {
        try enter("unlink \(Self.text(place)) \(file ?? "-") root:\(root ?? "-")")
        return try find(place)
    }

    func links(zone: String?, after cursor: String?, limit: Int) async throws(NodeError) -> LinkViewPage {
        try enter("links \(zone ?? "-") after:\(cursor ?? "-") limit:\(limit)")
        if let zone { try checkZone(zone) }
        let link = LinkView(
            asset: Self.assetID,
            root: "/srv/photos",
            file: Self.linkedFile,
            byteCount: 9,
            state: .sound,
            place: Self.place
        )
        return LinkViewPage(links: [link], cursor: nil)
    }
}
