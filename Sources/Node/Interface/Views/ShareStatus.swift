package import Wire

/// The accounts that take part in a zone.
package struct ShareStatus: Sendable {
    /// The zone.
    package var zone: ZoneID
    /// The account that owns it now.
    package var owner: AccountID
    /// The devices of the owner, as far as they are known here.
    package var ownerDevices: [DeviceName]
    /// The accounts with effective rights, in the order in which they joined.
    package var participants: [ParticipantStatus]
    /// The rights of accounts without a capability.
    package var publicAccess: PublicAccessStatus
    /// The invitations of this account to the zone, oldest first; each link is a secret.
    package var invites: [InvitationStatus]
    /// The requests to join by these invitations that are not granted yet.
    package var requests: [JoinRequestStatus]
    /// Accounts whose devices are not known here: their entries about the zone wait until they are.
    package var waitsFor: [AccountID]
    /// The offer of the zone to another account; `nil` where there is none.
    package var transfer: TransferStatus?

    /// Makes a status.
    package init(
        zone: ZoneID,
        owner: AccountID,
        ownerDevices: [DeviceName],
        participants: [ParticipantStatus],
        publicAccess: PublicAccessStatus,
        invites: [InvitationStatus],
        requests: [JoinRequestStatus],
        waitsFor: [AccountID],
        transfer: TransferStatus?
    ) {
        self.zone = zone
        self.owner = owner
        self.ownerDevices = ownerDevices
        self.participants = participants
        self.publicAccess = publicAccess
        self.invites = invites
        self.requests = requests
        self.waitsFor = waitsFor
        self.transfer = transfer
    }
}

/// A device with its name in its account.
package struct DeviceName: Sendable, Hashable {
    /// The device.
    package var device: DeviceID
    /// Its name.
    package var name: String

    /// Names a device.
    package init(device: DeviceID, name: String) {
        self.device = device
        self.name = name
    }
}
