/// The node's interface for inviting accounts to a zone, deciding about their requests, and blocking accounts.
///
/// Accounts are named as in ``SharingAPI``; a request to join by its id, or by the account that asks.
package protocol InvitingAPI: Sendable {
    /// Makes an invitation to a zone, whose requests only this device will grant.
    ///
    /// Inviting again under the same terms returns the open invitation.
    /// - Parameters:
    ///   - zone: Id text or unique name.
    ///   - terms: The right that the invitation promises; its lifetime is that of the right.
    ///   - limits: The number of accounts that the invitation lets in, and its lifetime.
    /// - Returns: The invitation; not new when it was open already.
    /// - Throws: `inviteTooMany`, `invalidArgument`, and the errors of `SharingAPI` for an account that may not
    ///   share.
    func invite(
        zone: String,
        terms: ShareTerms,
        limits: InviteLimits
    ) async throws(NodeError) -> (invite: InvitationStatus, isNew: Bool)

    /// Withdraws an invitation; accounts that have joined by it stay members.
    /// - Throws: `inviteUnknown`.
    func withdrawInvite(_ id: String, zone: String) async throws(NodeError)

    /// Approves a request.
    /// - Returns: Whether the right is granted now; false when the device that made the invitation will do it.
    /// - Throws: `requestUnknown`, `inviteOver`, `requestDenied`, `accountBlocked`.
    func approveRequest(_ request: String, zone: String) async throws(NodeError) -> Bool

    /// Denies a request, for good.
    /// - Throws: `requestUnknown`, `requestGranted`.
    func denyRequest(_ request: String, zone: String) async throws(NodeError)

    /// The accounts that are blocked.
    func blocks() async throws(NodeError) -> [BlockStatus]

    /// Blocks an account on all devices of this one: they open no sessions with its devices, and no invitation lets
    /// it in.
    /// - Returns: The account.
    /// - Throws: `accountUnknown`, `accountAmbiguous`, `shareNeedless` for this account itself.
    func block(account: String) async throws(NodeError) -> BlockStatus

    /// Ends the block of an account.
    /// - Throws: `accountUnknown`, `accountAmbiguous`.
    func unblock(account: String) async throws(NodeError)
}
