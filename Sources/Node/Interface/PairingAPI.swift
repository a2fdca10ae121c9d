package import Wire

/// The node's interface for pairing, by a ticket or by an enrolment token.
package protocol PairingAPI: Sendable {
    /// Makes a token that lets machines join this account without a person at them.
    /// - Parameters:
    ///   - uses: The number of machines, 1...256.
    ///   - lifetimeMilliseconds: The lifetime of the token, a minute to 30 days.
    ///   - role: The role of these machines.
    /// - Returns: The token; it is not shown again.
    /// - Throws: `forbidden` on a device that may not add others, `enrolmentTooMany`, `invalidArgument`.
    func makeEnrolmentToken(
        uses: Int,
        lifetimeMilliseconds: UInt64,
        role: DeviceRole
    ) async throws(NodeError) -> EnrolmentTokenStatus
    /// Ends all enrolment tokens that were made on this device.
    func withdrawEnrolmentTokens() async throws(NodeError)

    /// Starts to offer a place in this account; an earlier open offer ends.
    /// - Parameter role: The role of the device that takes the place.
    /// - Returns: The ticket.
    /// - Throws: `forbidden` on a device that may not add others.
    func offerPairing(role: DeviceRole) async throws(NodeError) -> PairingOfferStatus
    /// Waits for the offer's outcome.
    /// - Parameters:
    ///   - ticket: The offer's ticket text.
    ///   - waitMilliseconds: 0...60,000.
    /// - Returns: `nil` when nothing happened in time: ask again.
    /// - Throws: `ticketExpired`, `ticketAttempts`, `ticketNotFound` for an offer that does not exist.
    func awaitPairing(ticket: String, waitMilliseconds: Int) async throws(NodeError) -> PairingOutcome?
    /// Joins the account that offers this ticket; takes up to about a minute while it looks for it.
    /// - Throws: `ticketMalformed`, `ticketNotFound`, `ticketExpired`, `ticketUsed`, `accountHasDevices`,
    ///   `deviceHasZones`.
    func acceptPairing(ticket: String) async throws(NodeError) -> PairingOutcome
}
