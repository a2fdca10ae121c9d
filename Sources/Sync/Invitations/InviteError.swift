package import Records
package import Wire

/// The reason why an operation on invitations, requests to join, or blocks is refused.
///
/// Besides it ``Invitations`` and ``Redemptions`` throw ``CommitError``, `CapabilityError`, `ReplicaError`, and any error
/// of the store.
package enum InviteError: Error, Equatable, Sendable {
    /// The account has as many open invitations as it may have: withdraw one first.
    case tooManyOpen(limit: Int)
    /// The terms ask for no use, or for more than `InviteTerms.usesMax`.
    case badUses(UInt32)
    /// The time of the terms is over already.
    case alreadyOver
    /// Zones of the daemon's own are not shared.
    case internalZone(ZoneID)
    /// A relay is to count the uses, and the account uses none.
    case noRelay
    /// The account's book has no such invitation.
    case unknownInvite
    /// The account's book has no such request.
    case unknownRequest
    /// The invitation admits no account any more; grant the right without one.
    case over(Invite.State)
    /// The request was denied, for good; grant the right without an invitation.
    case denied
    /// The right was granted already; revoke it instead.
    case granted(Hash)
    /// The account is blocked: unblock it first.
    case blocked(AccountID)
    /// An account does not block itself.
    case ownAccount
    /// The account's book does not accept the entry.
    case notWritten(record: String, WriteRefusal)
}

extension InviteError: CustomStringConvertible {
    /// The reason, for logs and as a part of a sentence.
    package var description: String {
        switch self {
        case .tooManyOpen(let limit): "the account has \(limit) open invitations, the most that are allowed"
        case .badUses(let uses): "an invitation has 1 to \(InviteTerms.usesMax) uses, not \(uses)"
        case .alreadyOver: "the invitation would expire before now"
        case .internalZone(let zone): "the zone \(zone.shortText) is the daemon's own"
        case .noRelay: "a relay should count the uses, and the account uses no relay"
        case .unknownInvite: "the account has no such invitation"
        case .unknownRequest: "the account has no such request"
        case .over(let state): "the invitation is no longer valid: it is \(state.rawValue)"
        case .denied: "the request was denied for good"
        case .granted(let hash): "the right was granted already, as \(hash.shortText)"
        case .blocked(let account): "the account \(account.shortText) is blocked"
        case .ownAccount: "an account cannot block itself"
        case .notWritten(let record, let refusal): "the account's book refuses “\(record)”: \(refusal)"
        }
    }
}
