package import Wire

/// What a program or a person may ask of the node about zones that several accounts use.
///
/// An account is named by its id, or by at least the first eight characters of it if only one account begins so that is
/// known here. What is refused because of this account's right in the zone is thrown as `rightNone` or another of the
/// codes that begin with `right.`.
package protocol SharingAPI: Sendable {
    /// Who takes part in a zone, and by which right.
    func share(of zone: String) async throws(NodeError) -> ShareStatus

    /// Hands a right in a zone to an account.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - account: To whom.
    ///   - terms: What.
    /// - Returns: All that the account may do now; not new when it held this right under the same limits already.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `shareNeedless`, `shareUnknown` for a grant that does not hold, `invalidArgument`.
    func share(
        zone: String,
        with account: String,
        terms: ShareTerms
    ) async throws(NodeError) -> (participant: ParticipantStatus, isNew: Bool)

    /// Revokes all rights of an account in a zone that this one may revoke.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - account: Whose rights end.
    ///   - reason: Why; for people, and readable by all who take part.
    ///   - keepsBelow: Whether the accounts that have their rights from this one get them anew from this account, in the same
    ///     operation; else their rights end too.
    /// - Returns: Whose rights ended, and who was kept.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `shareUnknown`, `invalidArgument` when more are below than one
    ///   operation can keep.
    func revokeShare(
        zone: String,
        account: String,
        reason: String,
        keepsBelow: Bool
    ) async throws(NodeError) -> RevocationStatus

    /// Lets more count of what an account wrote by rights that ended: all that this device holds now.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `shareUnknown`.
    func raiseCut(zone: String, account: String) async throws(NodeError) -> CutRaiseStatus

    /// Gives up this account's rights in a zone of another account; it is not shown any more.
    ///
    /// A zone in which the account has none, since it only reads it or was put out, is not shown on this device any more.
    func leave(zone: String) async throws(NodeError) -> ZoneID

    /// Offers a zone to an account that takes part in it, in place of whomever it was offered to before.
    ///
    /// The account owns the zone once one of its devices has consented and this device has heard of it.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - account: To whom.
    ///   - level: What this account may still do then; `nil` for nothing.
    /// - Returns: The offer.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `shareUnknown`, `shareNeedless`.
    func offerTransfer(
        of zone: String,
        to account: String,
        keeping level: AccessLevel?
    ) async throws(NodeError)
        -> TransferStatus

    /// Withdraws the offer of a zone.
    /// - Parameter zone: Id text or unique name.
    /// - Returns: The offer as it was.
    /// - Throws: `transferUnknown` where it is offered to nobody.
    func withdrawTransfer(of zone: String) async throws(NodeError) -> TransferStatus

    /// Answers the offer of a zone to this account.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - accepts: Whether this account consents to own the zone.
    /// - Returns: The offer with the answer.
    /// - Throws: `transferUnknown` where it is not offered to this account.
    func answerTransfer(of zone: String, accepting accepts: Bool) async throws(NodeError) -> TransferStatus

    /// Begins another key of a zone: what is written from now on is sealed under it.
    ///
    /// Who had the earlier keys keeps them, and reads with them what was written under them.
    /// - Parameter zone: Id text or unique name.
    /// - Returns: What is written under from now on.
    /// - Throws: `zoneUnsealed` for a zone that everybody may read, `zoneNoKey` while this device can make none.
    func rotateEpoch(zone: String) async throws(NodeError) -> EpochStatus

    /// Says what those may do in a zone who hold no right.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - change: What is said anew.
    /// - Returns: All that holds now.
    /// - Throws: `NodeError`.
    func setPublicAccess(zone: String, _ change: PublicAccessChange) async throws(NodeError) -> PublicAccessStatus
}
