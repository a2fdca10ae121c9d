package import Wire

/// The node's interface for zones that several accounts use.
///
/// An account is named by its id, or by at least the first eight characters of it if only one account known here
/// begins so. A request that this account's right in the zone does not allow throws `rightNone` or another of the
/// codes that begin with `right.`.
package protocol SharingAPI: Sendable {
    /// Returns the accounts that take part in a zone, with their rights.
    func share(of zone: String) async throws(NodeError) -> ShareStatus

    /// Grants a right in a zone to an account.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - account: The grantee.
    ///   - terms: The right.
    /// - Returns: All rights that the account has now; not new when it held this right under the same limits already.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `shareNeedless`, `shareUnknown` for a grant that is not
    ///   effective, `invalidArgument`.
    func share(
        zone: String,
        with account: String,
        terms: ShareTerms
    ) async throws(NodeError) -> (participant: ParticipantStatus, isNew: Bool)

    /// Revokes all rights of an account in a zone that this one may revoke.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - account: The account whose rights end.
    ///   - reason: The reason; for people, and readable by all members.
    ///   - keepsBelow: Whether this account grants new rights, in the same operation, to the accounts whose rights
    ///     were delegated from the revoked ones; else their rights end too.
    /// - Returns: The accounts whose rights ended, and those that were kept.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `shareUnknown`, `invalidArgument` when there are more such
    ///   accounts than one operation can keep.
    func revokeShare(
        zone: String,
        account: String,
        reason: String,
        keepsBelow: Bool
    ) async throws(NodeError) -> RevocationStatus

    /// Raises the cut of an account's ended rights to the writes that this device holds now, which become effective.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `shareUnknown`.
    func raiseCut(zone: String, account: String) async throws(NodeError) -> CutRaiseStatus

    /// Gives up this account's rights in a zone of another account; the zone is not shown any more.
    ///
    /// A zone in which the account has no rights, because it only reads it or was removed, is not shown on this
    /// device any more.
    func leave(zone: String) async throws(NodeError) -> ZoneID

    /// Begins a new key of a zone; later writes are sealed under it.
    ///
    /// Devices that had the earlier keys keep them, and can read the writes that were sealed under them.
    /// - Parameter zone: Id text or unique name.
    /// - Returns: The epoch of the new key.
    /// - Throws: `zoneUnsealed` for a zone that every account may read, `zoneNoKey` while this device can make no
    ///   key.
    func rotateEpoch(zone: String) async throws(NodeError) -> EpochStatus

    /// Sets the rights of accounts that hold no capability in a zone.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - change: The rights to change.
    /// - Returns: All public rights in force now.
    /// - Throws: `NodeError`.
    func setPublicAccess(zone: String, _ change: PublicAccessChange) async throws(NodeError) -> PublicAccessStatus
}
