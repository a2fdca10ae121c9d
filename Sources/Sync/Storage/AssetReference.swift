package import Wire

/// A record that names a payload by an asset.
package struct AssetReference: Hashable, Sendable {
    /// The payload.
    package let payload: PayloadID
    /// The zone of the record.
    package let zone: ZoneID
    /// The record.
    package let tag: RecordTag

    /// Describes a reference.
    /// - Parameters: as the properties of the same names.
    package init(payload: PayloadID, zone: ZoneID, tag: RecordTag) {
        (self.payload, self.zone, self.tag) = (payload, zone, tag)
    }
}

extension AssetReference: Comparable {
    /// The order of the zones, in a zone that of the records, and of one record that of the payloads.
    package static func < (left: Self, right: Self) -> Bool {
        (left.zone, left.tag, left.payload) < (right.zone, right.tag, right.payload)
    }
}
