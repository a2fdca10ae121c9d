package import Wire

/// The node's interface for the transfer of a zone to another account.
///
/// Accounts are named as in ``SharingAPI``.
package protocol TransferAPI: Sendable {
    /// Offers a zone to an account that takes part in it, in place of an earlier offer to another account.
    ///
    /// The account owns the zone once one of its devices has consented and this device has learnt of it.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - account: The account that receives the offer.
    ///   - level: The access level that this account keeps afterwards; `nil` for none.
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
    /// - Throws: `transferUnknown` where the zone is not offered to any account.
    func withdrawTransfer(of zone: String) async throws(NodeError) -> TransferStatus

    /// Answers the offer of a zone to this account.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - accepts: Whether this account consents to own the zone.
    /// - Returns: The offer with the answer.
    /// - Throws: `transferUnknown` where it is not offered to this account.
    func answerTransfer(of zone: String, accepting accepts: Bool) async throws(NodeError) -> TransferStatus
}
