/// An invitation and its status.
package struct InviteStatus: Hashable, Sendable {
    /// The invitation.
    package let invite: Invite
    /// The number of accounts that have joined by it.
    package let taken: Int
    /// The status, by the knowledge of this device.
    package let standing: Invite.Standing
}
