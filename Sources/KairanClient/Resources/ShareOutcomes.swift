/// The outcome of a revocation.
public struct Revocation: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The accounts whose rights ended: also those that had them from the account, unless they were kept.
    public var revoked: [String]
    /// The accounts that had their rights from the one that was revoked, and have them from the caller's account now.
    public var kept: [String]
    /// The epoch under whose key the zone is written from now on, which they do not have; `nil` = none yet, or in clear.
    public var epoch: String?
    /// Writes by these rights that count nowhere and wait for somebody's decision, at most 1,000.
    public var quarantined: Int
    /// What the account may still do by rights that others gave it.
    public var remaining: String
}

/// Under which key a zone is written.
public struct ZoneEpoch: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The epoch whose key it is.
    public var epoch: String
}

/// What came of letting more count of what an account wrote.
public struct CutRaise: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// The account.
    public var account: String
    /// Capabilities under which more counts now.
    public var raised: Int
    /// Writes that have left the quarantine for it.
    public var released: Int
}

/// The offer of a zone to another account, which has to accept before it owns the zone.
public struct ZoneTransfer: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// Who owns it now.
    public var owner: String
    /// The account that is to own it.
    public var account: String
    /// What the present owner may still do then.
    public var keep: String
    /// `offered` until the account answers, then `accepted`, until the device that made the offer has heard of it, or `declined`;
    /// `withdrawn` by the owner.
    public var state: String
}

/// Where this account stands in a zone after it left.
public struct Membership: Sendable, Hashable, Codable {
    /// The zone.
    public var zone: String
    /// What this account may do.
    public var rights: String
    /// `left`.
    public var state: String
}
