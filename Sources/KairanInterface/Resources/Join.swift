public import FoundationEssentials

/// The progress of an opened invitation.
public struct Join: Sendable, Hashable, Codable {
    /// The progress of an opened invitation.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// This account takes part.
        public static let joined = State(rawValue: "joined")
        /// A person on the inviting side has to approve.
        public static let waitingApproval = State(rawValue: "waiting_approval")
        /// The device that made the invitation, or any device of its account, has to come within reach.
        public static let waitingInviter = State(rawValue: "waiting_inviter")
        /// This account is a member, and a device that reads the zone has to come within reach and send the zone's key.
        public static let waitingKey = State(rawValue: "waiting_key")
        /// The words that this version knows.
        public static let known: [State] = [.joined, .waitingApproval, .waitingInviter, .waitingKey]
    }

    /// The zone; known once this account takes part.
    public var zone: String?
    /// The rights of this account in the zone, as far as they are known.
    public var rights: AccessRights?
    /// The progress of the joining.
    public var state: State

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: String?, rights: AccessRights?, state: State) {
        (self.zone, self.rights, self.state) = (zone, rights, state)
    }
}

/// An invitation that this device has opened and that waits for an answer, or a zone that is offered.
public struct OpenJoin: Sendable, Hashable, Codable {
    /// The event that an open joining waits for.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A person on the inviting side has to approve.
        public static let waitingApproval = State(rawValue: "waiting_approval")
        /// The device that made the invitation, or any device of its account, has to come within reach.
        public static let waitingInviter = State(rawValue: "waiting_inviter")
        /// A right was granted without a request; this account takes part once a person here accepts.
        public static let offered = State(rawValue: "offered")
        /// The owner of a zone offers it to this account, which owns it once a person here accepts.
        public static let transferOffered = State(rawValue: "transfer_offered")
        /// The words that this version knows.
        public static let known: [State] = [.waitingApproval, .waitingInviter, .offered, .transferOffered]
    }

    /// The id of the invitation.
    public var invite: String
    /// The account that invites.
    public var account: String
    /// Its name here: a petname, else the name that it gives itself; `nil` without either.
    public var accountName: String?
    /// The event that the joining waits for.
    public var state: State
    /// The name of the zone, for an offer.
    public var zoneName: String?
    /// The time at which it was opened.
    public var openedAt: Date

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        invite: String,
        account: String,
        accountName: String? = nil,
        state: State,
        zoneName: String?,
        openedAt: Date
    ) {
        self.invite = invite
        self.account = account
        self.accountName = accountName
        self.state = state
        self.zoneName = zoneName
        self.openedAt = openedAt
    }

    enum CodingKeys: String, CodingKey {
        case invite, account
        case accountName = "account_name"
        case state
        case zoneName = "zone_name"
        case openedAt = "opened_at"
    }
}
