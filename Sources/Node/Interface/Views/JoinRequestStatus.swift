package import Wire

/// An account that asks to join a zone and is not yet a member.
package struct JoinRequestStatus: Sendable, Hashable {
    /// The id of the request.
    package var id: String
    /// The account that asks.
    package var account: AccountID
    /// The device that asked first.
    package var device: DeviceID
    /// The id of the invitation.
    package var invite: String
    /// The time of the request by the clock of the device that answered, in milliseconds since 1970.
    package var askedMilliseconds: UInt64
    /// Whether it waits for a person; otherwise it waits for the device that made the invitation.
    package var waitsForApproval: Bool

    /// Makes a status.
    package init(
        id: String,
        account: AccountID,
        device: DeviceID,
        invite: String,
        askedMilliseconds: UInt64,
        waitsForApproval: Bool
    ) {
        self.id = id
        self.account = account
        self.device = device
        self.invite = invite
        self.askedMilliseconds = askedMilliseconds
        self.waitsForApproval = waitsForApproval
    }
}
