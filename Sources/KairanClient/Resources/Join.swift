public import FoundationEssentials

/// The progress of an opened invitation.
public struct Join: Sendable, Hashable, Codable {
    /// The zone; known once this account takes part.
    public var zone: String?
    /// The rights of this account in the zone, as far as they are known.
    public var rights: String?
    /// `joined`; `waiting_approval`: a person on the inviting side has to approve; `waiting_inviter`: the device that
    /// made the invitation, or any device of its account, has to come within reach; `waiting_key`: this account is a
    /// member, and a device that reads the zone has to come within reach and send the zone's key.
    public var state: String
}

/// An invitation that this device has opened and that waits for an answer, or a zone that is offered.
public struct OpenJoin: Sendable, Hashable, Codable {
    /// The id of the invitation.
    public var invite: String
    /// The account that invites.
    public var account: String
    /// Its name here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// The state of the request, as ``Join/state``; or `offered`.
    public var state: String
    /// The name of the zone, for an offer.
    public var zoneName: String?
    /// The time at which it was opened.
    public var openedAt: Date

    enum CodingKeys: String, CodingKey {
        case invite, account, state
        case zoneName = "zone_name"
        case openedAt = "opened_at"
        case accountName = "account_name"
    }
}
