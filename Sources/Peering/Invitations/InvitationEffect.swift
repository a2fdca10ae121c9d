import Identity
package import Sync
package import Wire

/// A zone in which this account takes part by an invitation, once it is stored.
package struct InvitedZone<Address: Hashable & Sendable>: Sendable {
    /// Names the invitation.
    package let invite: [UInt8]
    /// The terms of the zone.
    package let terms: ZoneTerms
    /// The device that admitted this account.
    package let device: DeviceID
    /// The address at which it was called.
    package let address: Address

    /// The zone.
    package var zone: ZoneID { ZoneID(terms.genesis) }
}

/// An instruction of an ``InvitationCore``.
enum InvitationEffect<Address: Hashable & Sendable>: Sendable {
    /// Send a message.
    case send(SessionID, PeerMessage)
    /// End a channel.
    case close(SessionID, SyncCloseCode)
    /// The purpose of a channel is certain: its connection has the limits of that.
    case setRoom(SessionID)
    /// Decide about a request, with a relay's answer if there is one; answered by `decided`.
    case redeem(SessionID, JoinAttempt, claimed: ClaimedUse?)
    /// Grant the noted request that a relay has answered.
    case grantClaimed(ClaimedUse)
    /// Ask a relay that counts the uses; answered by `heard`.
    case claim(UseClaim)
    /// The log of an account has grown.
    case contactChanged(AccountID)
    /// Make a zone known here; answered by `entered`.
    case enter(InvitedZone<Address>)
    /// Write the opened invitations down.
    case keep
    /// Report to people.
    case report(InvitationReport)
}

/// A report about invitations.
package enum InvitationReport: Sendable {
    /// Bytes on a channel are no message that may stand there.
    case unreadable(any Error)
    /// The log of an asking account is invalid.
    case invalidAccount(any Error)
    /// The log of an inviting account is invalid.
    case invalidInviter(any Error)
    /// The log of an admitted account is not kept.
    case accountNotKept(any Error)
    /// A request was answered.
    case answered(AccountID, RedemptionOutcome)
    /// An invitation was refused; `isWatched` where a program waits for the answer.
    case refused(JoinRefusalCode, isWatched: Bool)
}
