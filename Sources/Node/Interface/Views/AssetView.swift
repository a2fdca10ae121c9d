package import KairanInterface
package import Wire

/// The place of an asset: a field of a record, or an element of the field's list or set.
package struct AssetPlace: Sendable, Hashable {
    /// The zone: id text or unique name.
    package var zone: String
    /// The record's name.
    package var record: String
    /// The field's name.
    package var field: String
    /// The index of the element in the field's list or set, where the elements of a list in the list are counted in its
    /// place; `nil` for the field's own value.
    package var item: Int?

    /// Names a place.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, record: String, field: String, item: Int? = nil) {
        (self.zone, self.record, self.field, self.item) = (zone, record, field, item)
    }
}

/// An asset of a record.
package struct AssetView: Sendable, Hashable {
    /// The id of the content.
    package var asset: PayloadID
    /// The zone of the record.
    package var zone: ZoneID
    /// The record's name.
    package var record: String
    /// The field's name.
    package var field: String
    /// As ``AssetPlace/item``.
    package var item: Int?
    /// The size of the content in bytes.
    package var byteCount: UInt64
    /// The media type of the content; empty where none is stated.
    package var mediaType: String
    /// The name of the file; empty where none is stated.
    package var fileName: String
    /// The time of the last change of the file, in milliseconds since 1970; `nil` where none is stated.
    package var modifiedAt: Int64?
    /// The state of the content on this device.
    package var state: Asset.State
    /// The percentage of the content that is here, 0...100.
    package var percent: Int
    /// The machines that are known to hold the content; `nil` where that was not looked up.
    package var copies: AssetCopiesView?
    /// The names of the relays that have promised to keep the content.
    package var relays: [String]
    /// The files of other programs with the content, as far as the caller may see them; `nil` where the content is stored, or is not here.
    package var files: [String]?

    /// Describes an asset.
    /// - Parameters: as the properties of the same names.
    package init(
        asset: PayloadID,
        zone: ZoneID,
        record: String,
        field: String,
        item: Int? = nil,
        byteCount: UInt64,
        mediaType: String,
        fileName: String,
        modifiedAt: Int64?,
        state: Asset.State,
        percent: Int,
        copies: AssetCopiesView? = nil,
        relays: [String] = [],
        files: [String]? = nil
    ) {
        self.asset = asset
        self.zone = zone
        self.record = record
        self.field = field
        self.item = item
        self.byteCount = byteCount
        self.mediaType = mediaType
        self.fileName = fileName
        self.modifiedAt = modifiedAt
        self.state = state
        self.percent = percent
        self.copies = copies
        self.relays = relays
        self.files = files
    }
}

/// A page of the assets of a zone.
package struct AssetViewPage: Sendable, Hashable {
    /// The assets.
    package var assets: [AssetView]
    /// Continue with this cursor; `nil` at the end.
    package var cursor: String?

    /// Makes a page.
    package init(assets: [AssetView], cursor: String?) {
        (self.assets, self.cursor) = (assets, cursor)
    }
}
