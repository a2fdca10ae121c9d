package import Wire

/// Links of assets to files that other programs keep.
extension MemoryStore {
    package func assetLinks(of payload: PayloadID) throws -> [AssetLinkRow] {
        (links[payload] ?? [:]).values.sorted { $0.place < $1.place }
    }

    package func assetLinks(after last: AssetLinkRow?, limit: Int) throws -> [AssetLinkRow] {
        let found = links.values.flatMap(\.values).filter { link in last.map { $0 < link } ?? true }
        return Array(found.sorted().prefix(limit))
    }

    package func assetLinks(root: String, beginning path: [UInt8], limit: Int) throws -> [AssetLinkRow] {
        let found = links.values.flatMap(\.values).filter { $0.place.root == root && $0.place.path.starts(with: path) }
        return Array(found.sorted { ($0.place, $0.payload) < ($1.place, $1.payload) }.prefix(limit))
    }

    package mutating func save(_ link: AssetLinkRow) throws { links[link.payload, default: [:]][link.place] = link }

    package mutating func removeAssetLink(of payload: PayloadID, at place: LinkedPlace) throws {
        links[payload]?[place] = nil
        if links[payload]?.isEmpty == true { links[payload] = nil }
    }

    package mutating func removeAssetLinks(of payload: PayloadID) throws { links[payload] = nil }
}
