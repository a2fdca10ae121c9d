/// The outcome of a revocation.
public struct Revocation: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The accounts whose rights ended, including those that had them from the account, unless they were kept.
    public var revoked: [String]
    /// The accounts that had their rights from the revoked one, and have them from the caller's account now.
    public var kept: [String]
    /// The epoch under whose key the zone is written from now on, which they do not have; `nil` = none yet, or in clear.
    public var epoch: String?
    /// Writes made under these rights that are ignored and wait for a person's decision, at most 1,000.
    public var quarantined: Int
    /// The rights that the account still has from other accounts.
    public var remaining: AccessRights

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        zone: String,
        revoked: [String],
        kept: [String],
        epoch: String?,
        quarantined: Int,
        remaining: AccessRights
    ) {
        self.zone = zone
        self.revoked = revoked
        self.kept = kept
        self.epoch = epoch
        self.quarantined = quarantined
        self.remaining = remaining
    }
}

/// The key under which a zone is written.
public struct ZoneEpoch: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The epoch whose key it is.
    public var epoch: String

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, epoch: String) {
        (self.zone, self.epoch) = (zone, epoch)
    }
}

/// The result of moving the cuts of an account's writes up, so that more of them are effective.
public struct CutRaise: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The account.
    public var account: String
    /// Capabilities whose cut was moved up.
    public var raised: Int
    /// Writes that left the quarantine because of it.
    public var released: Int

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, account: String, raised: Int, released: Int) {
        (self.zone, self.account, self.raised, self.released) = (zone, account, raised, released)
    }
}

/// The offer of a zone to another account, which has to accept before it owns the zone.
public struct ZoneTransfer: Sendable, Hashable, Codable {
    /// The progress of an offer.
    public struct State: InterfaceWord {
        /// The word on the interface.
        public let rawValue: String
        /// Names a word, which need not be a known one.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The account has not answered.
        public static let offered = State(rawValue: "offered")
        /// The account consents, and the device that made the offer has not learned of it yet.
        public static let accepted = State(rawValue: "accepted")
        /// The account does not want the zone.
        public static let declined = State(rawValue: "declined")
        /// The owner has withdrawn the offer.
        public static let withdrawn = State(rawValue: "withdrawn")
        /// The words that this version knows.
        public static let known: [State] = [.offered, .accepted, .declined, .withdrawn]
    }

    /// The zone.
    public var zone: String
    /// The current owner.
    public var owner: String
    /// The account that is to own it.
    public var account: String
    /// The rights that the present owner keeps after the transfer.
    public var keep: AccessRights
    /// The progress of the offer.
    public var state: State

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, owner: String, account: String, keep: AccessRights, state: State) {
        self.zone = zone
        self.owner = owner
        self.account = account
        self.keep = keep
        self.state = state
    }
}

/// The standing of this account in a zone after it left.
public struct Membership: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The rights of this account.
    public var rights: AccessRights
    /// `left`.
    public var state: String

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(zone: String, rights: AccessRights, state: String) {
        (self.zone, self.rights, self.state) = (zone, rights, state)
    }
}
