package import Wire

/// The progress of the opening of an invitation.
package enum JoinState: String, Sendable, Hashable {
    /// This account takes part.
    case joined
    /// This account takes part, and a device that reads the zone has to come within reach, for the zone's key.
    case waitingKey = "waiting_key"
    /// A person at the inviting side has to approve.
    case waitingApproval = "waiting_approval"
    /// The device that made the invitation, or any of its account, has to come within reach.
    case waitingInviter = "waiting_inviter"
    /// This account was granted a right without having asked; it takes part once a person here accepts.
    case offered
    /// The owner of a zone offers it to this account, which owns it once a person here accepts.
    case transferOffered = "transfer_offered"
}

/// The state of an opened invitation, for programs.
package struct JoinStatus: Sendable, Hashable {
    /// The zone; known once this account takes part.
    package let zone: ZoneID?
    /// The access level of this account in the zone, as far as it is known.
    package let rights: AccessLevel?
    /// The progress of the joining.
    package let state: JoinState

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: ZoneID?, rights: AccessLevel?, state: JoinState) {
        self.zone = zone
        self.rights = rights
        self.state = state
    }
}
