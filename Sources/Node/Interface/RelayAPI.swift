/// What a program or a person may ask of the node about relays that keep parcels for devices that are not there: those that this account
/// uses, and whom this machine keeps parcels for, if it is one.
package protocol RelayAPI: Sendable {
    /// The relays that the account uses, the preferred one first.
    func relays() async throws(NodeError) -> [RelayStatus]

    /// Has all devices of the account use a relay.
    /// - Parameter link: What the relay's owner gave.
    /// - Returns: The relay, and whether it was not used before; it is durable, and the relay is tried at once.
    /// - Throws: `relayBadLink`, `deviceReadOnly`, and what refuses a record.
    func useRelay(link: String) async throws(NodeError) -> (relay: RelayStatus, isNew: Bool)

    /// Has no device of the account use a relay any more; what was left there is left elsewhere, or waits for the devices to meet.
    /// - Parameter relay: Its id, or the first characters of it, at least eight.
    /// - Throws: `relayUnknown`, `deviceReadOnly`, and what refuses a record.
    func forgetRelay(_ relay: String) async throws(NodeError)

    /// Whom this machine keeps parcels for, the first admitted first.
    /// - Throws: `relayOff` when it keeps none.
    func admissions() async throws(NodeError) -> [AdmissionStatus]

    /// Lets an account leave and take parcels here.
    /// - Parameters:
    ///   - name: For whom it is, in the owner's words; 1...255 bytes.
    ///   - quotaByteCount: How many bytes are kept under it at most, at least 1 MiB; `nil` = 1 GiB.
    ///   - addresses: Where devices are to reach this relay, as "host:port", at most 8; none = where it is reached in this network.
    /// - Returns: The admission, and the link to give to the account; the link is not shown again.
    /// - Throws: `relayOff`, `invalidArgument`, `admissionTooMany`, `storageFailed`.
    func admit(
        name: String,
        quotaByteCount: UInt64?,
        addresses: [String]
    ) async throws(NodeError) -> (admission: AdmissionStatus, link: String)

    /// Ends an admission; what is kept under it is deleted.
    /// - Parameter admission: Its id, or the first characters of it, at least eight.
    /// - Throws: `relayOff`, `admissionUnknown`, `storageFailed`.
    func dismiss(_ admission: String) async throws(NodeError)
}
