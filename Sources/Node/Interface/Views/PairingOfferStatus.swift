import Wire

/// An open offer.
package struct PairingOfferStatus: Sendable {
    /// What the other device types.
    package var ticket: String
    /// The ticket as a QR code for a terminal.
    package var qrCode: String
    /// When it ends, in milliseconds since 1970.
    package var expiresMilliseconds: UInt64

    /// Makes a status.
    package init(ticket: String, qrCode: String, expiresMilliseconds: UInt64) {
        self.ticket = ticket
        self.qrCode = qrCode
        self.expiresMilliseconds = expiresMilliseconds
    }
}

extension PairingOfferStatus: UnprintedSecret {
    package var description: String { "pairing offer" }
}
