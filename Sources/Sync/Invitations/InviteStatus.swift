/// An invitation and its state.
package struct InviteStatus: Hashable, Sendable {
    /// The invitation.
    package let invite: Invite
    /// The number of accounts that have joined by it.
    package let taken: Int
    /// The state, by the knowledge of this device.
    package let state: Invite.State
}
