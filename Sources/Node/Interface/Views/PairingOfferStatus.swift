import Wire

/// An open offer.
package struct PairingOfferStatus: Sendable {
    /// The ticket, which a person types on the other device.
    package var ticket: String
    /// The end of the offer, in milliseconds since 1970.
    package var expiresMilliseconds: UInt64

    /// Makes a status.
    package init(ticket: String, expiresMilliseconds: UInt64) {
        self.ticket = ticket
        self.expiresMilliseconds = expiresMilliseconds
    }
}

extension PairingOfferStatus: UnprintedSecret {
    package var description: String { "pairing offer" }
}
