package import Records
package import Wire

/// Why something is not done with invitations, requests to join, or blocks.
///
/// Beside it the functions of ``Committer`` throw ``CommitError``, `CapabilityError`, `ReplicaError`, and what the store
/// throws.
package enum InviteError: Error, Equatable, Sendable {
    /// The account has as many open invitations as it may have: withdraw one first.
    case tooManyOpen(limit: Int)
    /// The terms ask for no use, or for more than `InviteTerms.usesMax`.
    case badUses(UInt32)
    /// The time of the terms is over already.
    case alreadyOver
    /// Zones of the daemon's own are not shared.
    case internalZone(ZoneID)
    /// A relay is to count, and the account uses none.
    case noRelay
    /// The account's book has no such invitation.
    case unknownInvite
    /// The account's book has no such request.
    case unknownRequest
    /// The invitation lets nobody in any more; grant the right without one.
    case over(Invite.Standing)
    /// The request was denied, for good; grant the right without an invitation.
    case denied
    /// The right was granted already; revoke it instead.
    case granted(Hash)
    /// The account is blocked: unblock it first.
    case blocked(AccountID)
    /// An account does not block itself.
    case ownAccount
    /// The account's book does not take what has to be said.
    case notWritten(record: String, WriteRefusal)
}
