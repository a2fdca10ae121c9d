public import FoundationEssentials

/// An invitation to a zone.
public struct Invitation: Sendable, Hashable, Codable {
    /// The id of the invitation.
    public var invite: String
    /// The link to send to the invited account: its holder may ask to join.
    public var link: String
    /// The rights of the accounts that join.
    public var rights: String
    /// The number of times in a row that these rights may be delegated.
    public var depth: Int
    /// The number of accounts that it lets in.
    public var uses: Int
    /// The number of accounts that have joined by it.
    public var taken: Int
    /// The time after which no account can join by it.
    public var expiresAt: Date
    /// Whether a person has to approve each account.
    public var needsApproval: Bool
    /// `open`, or the reason why it admits no more accounts: `withdrawn`, `expired`, `spent`, `orphaned`,
    /// `zone_gone`.
    public var state: String
    /// The device that made it, and has to be on to grant the rights, unless a relay counts.
    public var device: String
    /// The relay that counts the joining accounts; `nil` if the device does.
    public var relay: String?

    enum CodingKeys: String, CodingKey {
        case invite, link, rights, depth, uses, taken, state, device, relay
        case expiresAt = "expires_at"
        case needsApproval = "approval"
    }
}

/// An account that asks to join a zone and is not in yet.
public struct JoinRequest: Sendable, Hashable, Codable {
    /// The id of the request.
    public var request: String
    /// The account that asks.
    public var account: String
    /// Its name here: a petname, or else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// The device that asked first.
    public var device: String
    /// The invitation.
    public var invite: String
    /// The time of the request.
    public var askedAt: Date
    /// The party it waits for: `approval`, a person; `inviter`, the device that made the invitation, or the relay
    /// that counts.
    public var waitsFor: String

    enum CodingKeys: String, CodingKey {
        case request, account, device, invite
        case askedAt = "asked_at"
        case waitsFor = "waits_for"
        case accountName = "account_name"
    }
}

/// An account that this one wants nothing to do with.
public struct BlockedAccount: Sendable, Hashable, Codable {
    /// The account.
    public var account: String
    /// Its name here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// The time since which it is blocked.
    public var since: Date

    enum CodingKeys: String, CodingKey {
        case account, since
        case accountName = "account_name"
    }
}
