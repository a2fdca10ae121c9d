package import Wire

/// Who takes part in a zone.
package struct ShareStatus: Sendable {
    /// The zone.
    package var zone: ZoneID
    /// Who owns it now.
    package var owner: AccountID
    /// The devices of the owner, as far as they are known here.
    package var ownerDevices: [DeviceName]
    /// Who takes part by rights that hold, in the order in which they came in.
    package var participants: [ParticipantStatus]
    /// What those may do who hold no right.
    package var publicAccess: PublicAccessStatus
    /// The invitations of this account to the zone, oldest first; each link is a secret.
    package var invites: [InvitationStatus]
    /// Who asks to join by them and is not in yet.
    package var requests: [JoinRequestStatus]
    /// Accounts of which it is not known here what devices they have: what they say of the zone waits until it is.
    package var waitsFor: [AccountID]
    /// The offer of the zone to another account; `nil` where it is offered to nobody.
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

/// A device with the name by which its account let it in.
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
