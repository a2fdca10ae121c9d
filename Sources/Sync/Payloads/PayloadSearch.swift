package import Wire

/// A question to the store for payloads that are wanted; the core knows some of them at a time.
package struct PayloadSearch: Hashable, Sendable {
    /// The payloads that the core knows.
    package let known: Set<PayloadID>
    /// Payloads that readers wait for and the core does not know, wherever they are.
    package let urged: [PayloadID]
    /// The number behind which the search goes on, see `PayloadRow.number`; 0 for the beginning.
    package let after: UInt64
    /// The most payloads to find beside the urged ones.
    package let limit: Int
    /// Whether payloads that only a policy fetches are left out, since there is no room.
    package let isShort: Bool

    /// Asks for payloads.
    /// - Parameters: as the properties of the same names.
    package init(
        known: Set<PayloadID>,
        urged: [PayloadID] = [],
        after: UInt64 = 0,
        limit: Int,
        isShort: Bool = false
    ) {
        (self.known, self.urged, self.after, self.limit, self.isShort) = (known, urged, after, limit, isShort)
    }

    /// The answer of the store.
    package struct Found: Hashable, Sendable {
        /// The payloads, the urged ones first, then in the order in which they came to be known.
        package var wants: [PayloadWant] = []
        /// The number of the last payload that was examined; 0 for none.
        package var through: UInt64 = 0
        /// Whether there are no others behind it.
        package var isAtEnd = false

        /// Nothing was found.
        package init() {}
    }
}
