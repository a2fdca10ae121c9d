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
    public var remaining: String
}

/// The key under which a zone is written.
public struct ZoneEpoch: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The epoch whose key it is.
    public var epoch: String
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
}

/// The offer of a zone to another account, which has to accept before it owns the zone.
public struct ZoneTransfer: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The current owner.
    public var owner: String
    /// The account that is to own it.
    public var account: String
    /// The rights that the present owner keeps after the transfer.
    public var keep: String
    /// `offered` until the account answers, then `accepted`, until the device that made the offer has learned of it,
    /// or `declined`; `withdrawn` by the owner.
    public var state: String
}

/// The standing of this account in a zone after it left.
public struct Membership: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The rights of this account.
    public var rights: String
    /// `left`.
    public var state: String
}
