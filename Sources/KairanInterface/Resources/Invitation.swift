public import FoundationEssentials

/// An invitation to a zone.
public struct Invitation: Sendable, Hashable, Codable {
    /// The state of an invitation.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It lets accounts in.
        public static let open = State(rawValue: "open")
        /// Its author has withdrawn it.
        public static let withdrawn = State(rawValue: "withdrawn")
        /// Its time is over.
        public static let expired = State(rawValue: "expired")
        /// As many accounts have joined as it was made for.
        public static let spent = State(rawValue: "spent")
        /// Its device, or its relay, is no longer one of the account's.
        public static let orphaned = State(rawValue: "orphaned")
        /// The zone is gone.
        public static let zoneGone = State(rawValue: "zone_gone")
        /// The words that this version knows.
        public static let known: [State] = [.open, .withdrawn, .expired, .spent, .orphaned, .zoneGone]
    }

    /// The id of the invitation.
    public var invite: String
    /// The link to send to the invited account: its holder may ask to join.
    public var link: String
    /// The rights of the accounts that join.
    public var rights: AccessRights
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
    /// `open`, or the reason why it admits no more accounts.
    public var state: State
    /// The device that made it, and has to be on to grant the rights, unless a relay counts.
    public var device: String
    /// The relay that counts the joining accounts; `nil` if the device does.
    public var relay: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        invite: String,
        link: String,
        rights: AccessRights,
        depth: Int,
        uses: Int,
        taken: Int,
        expiresAt: Date,
        needsApproval: Bool,
        state: State,
        device: String,
        relay: String?
    ) {
        self.invite = invite
        self.link = link
        self.rights = rights
        self.depth = depth
        self.uses = uses
        self.taken = taken
        self.expiresAt = expiresAt
        self.needsApproval = needsApproval
        self.state = state
        self.device = device
        self.relay = relay
    }

    enum CodingKeys: String, CodingKey {
        case invite, link, rights, depth, uses, taken
        case expiresAt = "expires_at"
        case needsApproval = "approval"
        case state, device, relay
    }
}

/// An account that asks to join a zone and is not in yet.
public struct JoinRequest: Sendable, Hashable, Codable {
    /// The party for which a request waits.
    public struct Awaited: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A person has to approve it.
        public static let approval = Awaited(rawValue: "approval")
        /// The device that made the invitation, or the relay that counts, has to let the account in.
        public static let inviter = Awaited(rawValue: "inviter")
        /// The words that this version knows.
        public static let known: [Awaited] = [.approval, .inviter]
    }

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
    /// The party it waits for.
    public var waitsFor: Awaited

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        request: String,
        account: String,
        accountName: String? = nil,
        device: String,
        invite: String,
        askedAt: Date,
        waitsFor: Awaited
    ) {
        self.request = request
        self.account = account
        self.accountName = accountName
        self.device = device
        self.invite = invite
        self.askedAt = askedAt
        self.waitsFor = waitsFor
    }

    enum CodingKeys: String, CodingKey {
        case request, account
        case accountName = "account_name"
        case device, invite
        case askedAt = "asked_at"
        case waitsFor = "waits_for"
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

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(account: String, accountName: String? = nil, since: Date) {
        (self.account, self.accountName, self.since) = (account, accountName, since)
    }

    enum CodingKeys: String, CodingKey {
        case account
        case accountName = "account_name"
        case since
    }
}
