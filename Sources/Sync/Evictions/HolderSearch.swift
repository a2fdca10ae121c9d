package import Wire

/// A question to the store for the contents about which a device of this account is to be asked.
package struct HolderSearch: Hashable, Sendable {
    /// The place at which a search goes on.
    package enum Place: Hashable, Sendable {
        /// Contents that are here and about which the device has made no statement, behind the number of a payload.
        case unstated(after: UInt64)
        /// Contents about which its statement is old, behind such a statement.
        case overdue(after: HolderRow?)
    }

    /// The device.
    package let device: DeviceID
    /// The place.
    package let place: Place

    /// Describes a search.
    /// - Parameters: as the properties of the same names.
    package init(device: DeviceID, place: Place) {
        (self.device, self.place) = (device, place)
    }
}

/// The answer of the store to a ``HolderSearch``.
package struct HolderFinding: Hashable, Sendable {
    /// A content to ask about.
    package struct Content: Hashable, Sendable {
        /// The payload.
        package let payload: PayloadID
        /// Zones whose records name it, under which the device may be asked.
        package let zones: [ZoneID]

        /// Describes a content.
        /// - Parameters: as the properties of the same names.
        package init(payload: PayloadID, zones: [ZoneID]) {
            (self.payload, self.zones) = (payload, zones)
        }
    }

    /// The contents, as many as one request has room for.
    package var contents: [Content]
    /// The place of the next search; `nil` where there is nothing behind these contents.
    package var next: HolderSearch.Place?

    /// Describes a finding; without arguments nothing is found.
    /// - Parameters: as the properties of the same names.
    package init(contents: [Content] = [], next: HolderSearch.Place? = nil) {
        (self.contents, self.next) = (contents, next)
    }
}
