package import Wire

/// A question to the store for contents of records that relays of this account are to keep.
package struct CustodySearch: Hashable, Sendable {
    /// The relays that can be asked now.
    package let relays: Set<DeviceID>
    /// Contents that have come to be here, or to be named, wherever they are.
    package let contents: [PayloadID]
    /// The number behind which the search goes on, see `PayloadRow.number`; 0 for the beginning.
    package let after: UInt64
    /// The most requests to return beside those about ``contents``, and those about one content at least; 0 for none.
    package let limit: Int

    /// Asks for contents.
    /// - Parameters: as the properties of the same names.
    package init(relays: Set<DeviceID>, contents: [PayloadID] = [], after: UInt64 = 0, limit: Int) {
        (self.relays, self.contents, self.after, self.limit) = (relays, contents, after, limit)
    }

    /// The answer of the store.
    package struct Found: Hashable, Sendable {
        /// The requests about contents that were named in the question.
        package var news: [CustodyJob] = []
        /// The requests about others, in the order in which these came to be known.
        package var jobs: [CustodyJob] = []
        /// The number of the last content that was examined; 0 for none.
        package var through: UInt64 = 0
        /// Whether there are no others behind it.
        package var isAtEnd = false

        /// Nothing was found.
        package init() {}
    }
}

/// Changes that may give relays other contents of records to keep, or fewer.
package struct CustodyNews: Hashable, Sendable {
    /// Contents that are here and are named by a record that was not looked at before.
    package var contents: Set<PayloadID> = []
    /// Whether a zone has its contents kept at relays that did not before, or has not any more.
    package var hasSettings = false
    /// Whether contents were dropped here that relays keep for this device.
    package var hasReleases = false

    /// Nothing has changed.
    package init() {}

    /// Whether nothing has changed.
    package var isEmpty: Bool { contents.isEmpty && !hasSettings && !hasReleases }

    /// Takes in later changes.
    mutating func merge(_ later: CustodyNews) {
        contents.formUnion(later.contents)
        hasSettings = hasSettings || later.hasSettings
        hasReleases = hasReleases || later.hasReleases
    }
}
