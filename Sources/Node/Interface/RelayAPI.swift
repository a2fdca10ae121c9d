/// The node's interface for the relays that keep parcels for the account's devices.
package protocol RelayAPI: Sendable {
    /// The relays that the account uses, the preferred one first.
    func relays() async throws(NodeError) -> [RelayStatus]

    /// Makes all devices of the account use a relay.
    /// - Parameter link: The link from the relay's owner.
    /// - Returns: The relay, and whether it was not used before; it is durable, and the relay is tried at once.
    /// - Throws: `relayBadLink`, `deviceReadOnly`, and the errors that refuse a record.
    func useRelay(link: String) async throws(NodeError) -> (relay: RelayStatus, isNew: Bool)

    /// Stops the use of a relay by all devices of the account.
    ///
    /// Parcels that were left there are left elsewhere, or wait for the devices to meet.
    /// - Parameter relay: Its id, or the first characters of it, at least eight.
    /// - Throws: `relayUnknown`, `deviceReadOnly`, and the errors that refuse a record.
    func forgetRelay(_ relay: String) async throws(NodeError)
}
