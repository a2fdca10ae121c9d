import Wire

/// An open offer.
package struct PairingOfferStatus: Sendable {
    /// What the other device types.
    package var ticket: String
    /// When it ends, in milliseconds since 1970.
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
