package import KairanInterface
package import Wire

/// An asset that was made of a file, whose bytes stay there.
package struct LinkedAssetView: Sendable, Hashable {
    /// The id of the content.
    package var asset: PayloadID
    /// The zone that it was made for.
    package var zone: ZoneID
    /// The size of the content in bytes.
    package var byteCount: UInt64
    /// The path of the file.
    package var file: String

    /// Describes an asset.
    /// - Parameters: as the properties of the same names.
    package init(asset: PayloadID, zone: ZoneID, byteCount: UInt64, file: String) {
        (self.asset, self.zone, self.byteCount, self.file) = (asset, zone, byteCount, file)
    }
}

/// A link of an asset to a file.
package struct LinkView: Sendable, Hashable {
    /// The id of the content.
    package var asset: PayloadID
    /// The root of the file.
    package var root: String
    /// The path of the file; bytes that are no text are replaced.
    package var file: String
    /// The size of the file in bytes, when it was looked at last.
    package var byteCount: UInt64
    /// The knowledge of the file.
    package var state: AssetLink.State
    /// A record that names the content; `nil` where none does that the caller sees.
    package var place: AssetPlace?

    /// Describes a link.
    /// - Parameters: as the properties of the same names.
    package init(
        asset: PayloadID,
        root: String,
        file: String,
        byteCount: UInt64,
        state: AssetLink.State,
        place: AssetPlace?
    ) {
        self.asset = asset
        self.root = root
        self.file = file
        self.byteCount = byteCount
        self.state = state
        self.place = place
    }
}

/// A page of links.
package struct LinkViewPage: Sendable, Hashable {
    /// The links.
    package var links: [LinkView]
    /// Continue with this cursor; `nil` at the end.
    package var cursor: String?

    /// Makes a page.
    package init(links: [LinkView], cursor: String?) { (self.links, self.cursor) = (links, cursor) }
}
