public import FoundationEssentials

/// Who takes part in a zone.
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
    /// Who owns it now.
    public var owner: Owner
    /// Who takes part by rights that hold, in the order in which they came in.
    public var participants: [Participant]
    /// What those may do who hold no right.
    public var publicAccess: PublicAccess
    /// The invitations of this account to the zone, oldest first; none for applications.
    public var invites: [Invitation]
    /// Who asks to join by them and is not in yet; none for applications.
    public var requests: [JoinRequest]
    /// Accounts of which it is not known here what devices they have: what they say of the zone waits until it is.
    public var waitsFor: [String]
    /// The offer of the zone to another account; `nil` where it is offered to nobody, and for applications.
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
    /// Since when it takes part, by the clock of who let it in.
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
    /// What it lets its holder do.
    public var rights: String
    /// How often in a row it may be handed on.
    public var depth: Int
    /// The account that handed it on.
    public var issuer: String
    /// When, by that account's clock.
    public var since: Date
    /// The only record types that may be written; empty = all.
    public var types: [String]
    /// What the names of records begin with that may be written.
    public var prefix: String
    /// When it ends; `nil` = never.
    public var expiresAt: Date?

    enum CodingKeys: String, CodingKey {
        case capability, rights, depth, since, types, prefix
        case issuer = "by"
        case expiresAt = "expires_at"
    }
}

/// What those may do in a zone who hold no right: each of `read`, `create` and `write`.
public struct PublicAccess: Sendable, Hashable, Codable {
    /// Everybody on the network.
    public var world: [String]
    /// Everybody whose account is known.
    public var authenticated: [String]
    /// Who is named as a record's creator, with that record.
    public var creator: [String]
    /// What opens the zone for those who have no right; `nil` while not everybody may read it.
    public var link: String?
}
