package import Wire

/// The node's interface for joining zones of other accounts by an invitation or an offer.
package protocol JoiningAPI: Sendable {
    /// Opens an invitation, or accepts a zone that was offered.
    ///
    /// Waits a while for a device of the inviting account to answer, and continues to try afterwards.
    /// - Parameter link: The link as it was sent, or the id of an offer, or enough of its beginning.
    /// - Returns: The progress of the joining.
    /// - Throws: `inviteMalformed`, `inviteOwnAccount`, the inviting side's refusal, `joinTooMany`.
    func join(link: String) async throws(NodeError) -> JoinStatus

    /// The invitations that this device has opened and that have no final answer, oldest first, followed by the
    /// offered zones.
    func joins() async throws(NodeError) -> [OpenJoinStatus]

    /// Abandons an opened invitation.
    /// - Throws: `inviteUnknown`.
    func forgetJoin(_ invite: String) async throws(NodeError)
}

/// An invitation that this device has opened and that waits for an answer, or a zone that is offered.
package struct OpenJoinStatus: Sendable, Hashable {
    /// The id of the invitation; for an offer, the zone's id.
    package var invite: String
    /// The account that invites.
    package var account: AccountID
    /// The zone's name; only for an offer.
    package var zoneName: String?
    /// The event that the joining waits for.
    package var state: JoinState
    /// The time of the opening, or for an offer of its first arrival, in milliseconds since 1970.
    package var openedMilliseconds: UInt64

    /// Describes one.
    package init(
        invite: String,
        account: AccountID,
        state: JoinState,
        zoneName: String? = nil,
        openedMilliseconds: UInt64
    ) {
        self.invite = invite
        self.account = account
        self.state = state
        self.zoneName = zoneName
        self.openedMilliseconds = openedMilliseconds
    }
}
