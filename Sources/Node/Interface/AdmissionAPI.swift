/// The interface of a node that is a relay, for the accounts that it keeps parcels for.
package protocol AdmissionAPI: Sendable {
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
