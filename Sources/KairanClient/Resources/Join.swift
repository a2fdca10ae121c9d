public import FoundationEssentials

/// How far the opening of an invitation has come.
public struct Join: Sendable, Hashable, Codable {
    /// The zone; known once this account takes part.
    public var zone: String?
    /// What this account may do in it, as far as it is known.
    public var rights: String?
    /// `joined`; `waiting_approval`: somebody at the inviting side has to say yes; `waiting_inviter`: the device that made
    /// the invitation, or any of its account, has to come within reach; `waiting_key`: this account takes part, and a device
    /// that reads the zone has to come within reach, for the zone's key.
    public var state: String
}

/// An invitation that this device has opened and that waits for an answer, or a zone that is offered.
public struct OpenJoin: Sendable, Hashable, Codable {
    /// What it is called by.
    public var invite: String
    /// The account that invites.
    public var account: String
    /// Its name here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// What it waits for, as ``Join/state``; or `offered`.
    public var state: String
    /// The zone's name, of an offer.
    public var zoneName: String?
    /// When it was opened.
    public var openedAt: Date

    enum CodingKeys: String, CodingKey {
        case invite, account, state
        case zoneName = "zone_name"
        case openedAt = "opened_at"
        case accountName = "account_name"
    }
}
