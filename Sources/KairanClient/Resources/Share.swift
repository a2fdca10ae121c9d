public import FoundationEssentials

/// The owner, the participants and the public access of a zone.
public struct Share: Sendable, Hashable, Codable {
    /// The owner of a zone.
    public struct Owner: Sendable, Hashable, Codable {
        /// The account.
        public var account: String
        /// Its name here: a petname, else the name that it gives itself; `nil` without either.
        public var accountName: String?
        /// Its devices, as far as they are known here.
        public var devices: [NamedDevice]

        enum CodingKeys: String, CodingKey {
            case account, devices
            case accountName = "account_name"
        }
    }

    /// The zone.
    public var zone: String
    /// The current owner.
    public var owner: Owner
    /// The accounts with effective rights, in the order in which they joined.
    public var participants: [Participant]
    /// The rights of accounts without a capability.
    public var publicAccess: PublicAccess
    /// The invitations of this account to the zone, oldest first; none for applications.
    public var invites: [Invitation]
    /// The accounts that ask to join by those invitations and are not members yet; none for applications.
    public var requests: [JoinRequest]
    /// Accounts whose devices are not known here: their operations in the zone wait until they are.
    public var waitsFor: [String]
    /// The offer of the zone to another account; `nil` if there is none, and for applications.
    public var transfer: ZoneTransfer?

    enum CodingKeys: String, CodingKey {
        case zone, owner, participants, invites, requests, transfer
        case publicAccess = "public"
        case waitsFor = "waits_for"
    }
}

/// A device with the name by which its account let it in.
public struct NamedDevice: Sendable, Hashable, Codable {
    /// The device.
    public var device: String
    /// Its name.
    public var name: String

    /// Names one.
    package init(device: String, name: String) {
        self.device = device
        self.name = name
    }
}

/// An account that takes part in a zone.
public struct Participant: Sendable, Hashable, Codable {
    /// The account.
    public var account: String
    /// Its name here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// Whether it is this one.
    public var isThis: Bool
    /// The most that it may do: `relay`, `read`, `append`, `write` or `admin`.
    public var rights: String
    /// Whether it may hand that on.
    public var mayDelegate: Bool
    /// The capability that gives it this right.
    public var via: String
    /// The time since which it takes part, by the clock of the account that admitted it.
    public var since: Date
    /// Its devices, as far as they are known here.
    public var devices: [NamedDevice]
    /// All its capabilities that hold, the strongest first.
    public var capabilities: [ZoneCapability]

    enum CodingKeys: String, CodingKey {
        case account, rights, via, since, devices, capabilities
        case isThis = "this"
        case mayDelegate = "delegate"
        case accountName = "account_name"
    }
}

/// One right that an account holds in a zone.
public struct ZoneCapability: Sendable, Hashable, Codable {
    /// Its id.
    public var capability: String
    /// The right that it grants.
    public var rights: String
    /// The number of times in a row that the right may be delegated.
    public var depth: Int
    /// The account that delegated it.
    public var issuer: String
    /// The time of the delegation, by that account's clock.
    public var since: Date
    /// The only record types that may be written; empty = all.
    public var types: [String]
    /// The prefix of the names of records that may be written; empty = all names.
    public var prefix: String
    /// The time at which it ends; `nil` = never.
    public var expiresAt: Date?

    enum CodingKeys: String, CodingKey {
        case capability, rights, depth, since, types, prefix
        case issuer = "by"
        case expiresAt = "expires_at"
    }
}

/// The rights of accounts without a capability in a zone: any of `read`, `create` and `write`.
public struct PublicAccess: Sendable, Hashable, Codable {
    /// The rights of every device on the network.
    public var world: [String]
    /// The rights of every device whose account is known.
    public var authenticated: [String]
    /// The rights of the account named as a record's creator, for that record.
    public var creator: [String]
    /// The link that opens the zone for accounts without a capability; `nil` while the zone is not readable by
    /// everyone.
    public var link: String?
}
