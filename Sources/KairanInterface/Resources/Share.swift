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

        /// Describes it.
        /// - Parameters: as the properties of the same names.
        package init(account: String, accountName: String? = nil, devices: [NamedDevice]) {
            (self.account, self.accountName, self.devices) = (account, accountName, devices)
        }

        enum CodingKeys: String, CodingKey {
            case account
            case accountName = "account_name"
            case devices
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

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        zone: String,
        owner: Owner,
        participants: [Participant],
        publicAccess: PublicAccess,
        invites: [Invitation],
        requests: [JoinRequest],
        waitsFor: [String],
        transfer: ZoneTransfer?
    ) {
        self.zone = zone
        self.owner = owner
        self.participants = participants
        self.publicAccess = publicAccess
        self.invites = invites
        self.requests = requests
        self.waitsFor = waitsFor
        self.transfer = transfer
    }

    enum CodingKeys: String, CodingKey {
        case zone, owner, participants
        case publicAccess = "public"
        case invites, requests
        case waitsFor = "waits_for"
        case transfer
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
    /// The most that it may do.
    public var rights: AccessRights
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

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        account: String,
        accountName: String? = nil,
        isThis: Bool,
        rights: AccessRights,
        mayDelegate: Bool,
        via: String,
        since: Date,
        devices: [NamedDevice],
        capabilities: [ZoneCapability]
    ) {
        self.account = account
        self.accountName = accountName
        self.isThis = isThis
        self.rights = rights
        self.mayDelegate = mayDelegate
        self.via = via
        self.since = since
        self.devices = devices
        self.capabilities = capabilities
    }

    enum CodingKeys: String, CodingKey {
        case account
        case accountName = "account_name"
        case isThis = "this"
        case rights
        case mayDelegate = "delegate"
        case via, since, devices, capabilities
    }
}

/// One right that an account holds in a zone.
public struct ZoneCapability: Sendable, Hashable, Codable {
    /// Its id.
    public var capability: String
    /// The right that it grants.
    public var rights: AccessRights
    /// The number of times in a row that the right may be delegated.
    public var depth: Int
    /// The account that delegated it.
    public var issuer: String
    /// The name of that account here: a petname, else the name that it gives itself; `nil` without either.
    public var issuerName: String?
    /// The time of the delegation, by that account's clock.
    public var since: Date
    /// The only record types that may be written; empty = all.
    public var types: [String]
    /// The prefix of the names of records that may be written; empty = all names.
    public var prefix: String
    /// The time at which it ends; `nil` = never.
    public var expiresAt: Date?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        capability: String,
        rights: AccessRights,
        depth: Int,
        issuer: String,
        issuerName: String? = nil,
        since: Date,
        types: [String],
        prefix: String,
        expiresAt: Date?
    ) {
        self.capability = capability
        self.rights = rights
        self.depth = depth
        self.issuer = issuer
        self.issuerName = issuerName
        self.since = since
        self.types = types
        self.prefix = prefix
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case capability, rights, depth
        case issuer = "by"
        case issuerName = "by_name"
        case since, types, prefix
        case expiresAt = "expires_at"
    }
}

/// The rights of accounts without a capability in a zone.
public struct PublicAccess: Sendable, Hashable, Codable {
    /// A right of accounts without a capability.
    public struct Right: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Read the zone.
        public static let read = Right(rawValue: "read")
        /// Create records.
        public static let create = Right(rawValue: "create")
        /// Change and delete records.
        public static let write = Right(rawValue: "write")
        /// The words that this version knows.
        public static let known: [Right] = [.read, .create, .write]
    }

    /// The rights of every device on the network.
    public var world: [Right]
    /// The rights of every device whose account is known.
    public var authenticated: [Right]
    /// The rights of the account named as a record's creator, for that record.
    public var creator: [Right]
    /// The link that opens the zone for accounts without a capability; `nil` while the zone is not readable by
    /// everyone.
    public var link: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(world: [Right], authenticated: [Right], creator: [Right], link: String?) {
        (self.world, self.authenticated, self.creator, self.link) = (world, authenticated, creator, link)
    }
}
