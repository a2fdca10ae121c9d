package import Wire

/// What a program or a person may ask of the node about zones of other accounts that it was invited to.
package protocol JoiningAPI: Sendable {
    /// Opens an invitation; waits a while for somebody of the inviting account to answer, and goes on trying afterwards. Or
    /// takes part in a zone that was offered.
    /// - Parameter link: The link as it was sent, or what an offer is called by, or enough of its beginning.
    /// - Returns: How far it has come.
    /// - Throws: `inviteMalformed`, `inviteOwnAccount`, what the other side says, `joinTooMany`.
    func join(link: String) async throws(NodeError) -> JoinStatus

    /// The invitations that this device has opened and that nobody has answered for good, oldest first, and then the zones
    /// that are offered.
    func joins() async throws(NodeError) -> [OpenJoinStatus]

    /// Gives an opened invitation up.
    /// - Throws: `inviteUnknown`.
    func forgetJoin(_ invite: String) async throws(NodeError)
}

/// An invitation that this device has opened and that waits for an answer, or a zone that is offered.
package struct OpenJoinStatus: Sendable, Hashable {
    /// What it is called by; of an offer the zone's id.
    package var invite: String
    /// The account that invites.
    package var account: AccountID
    /// The zone's name, of an offer.
    package var zoneName: String?
    /// What it waits for.
    package var state: JoinState
    /// When it was opened, or first heard of; milliseconds since 1970.
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
