/// An invitation, and how it stands.
package struct InviteStatus: Hashable, Sendable {
    /// The invitation.
    package let invite: Invite
    /// How many accounts have joined by it.
    package let taken: Int
    /// What has become of it, by what this device knows.
    package let standing: Invite.Standing
}
