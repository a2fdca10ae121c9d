/// The node's interface for relays, which keep parcels for absent devices.
///
/// It covers the relays that this account uses and, if this machine is a relay, the accounts that it keeps parcels
/// for.
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

    /// Returns the admissions of accounts that this machine keeps parcels for, the first admitted first.
    /// - Throws: `relayOff` when it keeps none.
    func admissions() async throws(NodeError) -> [AdmissionStatus]

    /// Admits an account, which may then leave and take parcels here.
    /// - Parameters:
    ///   - name: The name of the admitted account, in the owner's words; 1...255 bytes.
    ///   - quotaByteCount: The most bytes that are kept under the admission, at least 1 MiB; `nil` = 1 GiB.
    ///   - addresses: The addresses at which devices reach this relay, as "host:port", at most 8; none = its address
    ///     in this network.
    /// - Returns: The admission, and the link to give to the account; the link is not shown again.
    /// - Throws: `relayOff`, `invalidArgument`, `admissionTooMany`, `storageFailed`.
    func admit(
        name: String,
        quotaByteCount: UInt64?,
        addresses: [String]
    ) async throws(NodeError) -> (admission: AdmissionStatus, link: String)

    /// Ends an admission; the parcels kept under it are deleted.
    /// - Parameter admission: Its id, or the first characters of it, at least eight.
    /// - Throws: `relayOff`, `admissionUnknown`, `storageFailed`.
    func dismiss(_ admission: String) async throws(NodeError)
}
