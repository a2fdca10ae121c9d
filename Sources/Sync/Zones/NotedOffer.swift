package import Wire

/// The offer of a zone's ownership as this device knows it, and the answer to it.
package struct NotedOffer: Hashable, Sendable {
    /// The time at which this device learnt of the offer or of its answer, in milliseconds since 1970 by its own clock.
    package let milliseconds: UInt64
    /// The control operation that makes the offer.
    package let entry: Hash
    /// The answer as it is signed; `nil` while there is none.
    package let answer: [UInt8]?

    /// Notes an offer.
    package init(milliseconds: UInt64, entry: Hash, answer: [UInt8]?) {
        self.milliseconds = milliseconds
        self.entry = entry
        self.answer = answer
    }

    /// The offer as a store keeps it.
    package var storable: NotedOffer {
        NotedOffer(milliseconds: milliseconds.storable, entry: entry, answer: answer)
    }
}
