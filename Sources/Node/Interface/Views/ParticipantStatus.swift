package import Wire

/// An account that takes part in a zone.
package struct ParticipantStatus: Sendable, Hashable {
    /// The account.
    package var account: AccountID
    /// Whether the account is this one.
    package var isThis: Bool
    /// Its active devices, as far as they are known here.
    package var devices: [DeviceName]
    /// Its effective capabilities, the strongest first; at least one.
    package var capabilities: [CapabilityStatus]

    /// Makes a status.
    package init(account: AccountID, isThis: Bool, devices: [DeviceName], capabilities: [CapabilityStatus]) {
        self.account = account
        self.isThis = isThis
        self.devices = devices
        self.capabilities = capabilities
    }
}

/// A capability that an account holds.
package struct CapabilityStatus: Sendable, Hashable {
    /// Its id.
    package var capability: Hash
    /// The access level that it grants.
    package var level: AccessLevel
    /// The number of times in a row that it may be delegated; 0 = not at all.
    package var delegationDepth: UInt8
    /// The account that granted it.
    package var issuer: AccountID
    /// The time of the grant by that account's clock, in milliseconds since 1970.
    package var sinceMilliseconds: UInt64
    /// The only record types that may be written; empty = all.
    package var recordTypes: [String]
    /// The prefix of the names of records that may be written.
    package var namePrefix: String
    /// The time at which it expires, in milliseconds since 1970; `nil` = never.
    package var expiresMilliseconds: UInt64?

    /// Makes a status.
    package init(
        capability: Hash,
        level: AccessLevel,
        delegationDepth: UInt8,
        issuer: AccountID,
        sinceMilliseconds: UInt64,
        recordTypes: [String],
        namePrefix: String,
        expiresMilliseconds: UInt64?
    ) {
        self.capability = capability
        self.level = level
        self.delegationDepth = delegationDepth
        self.issuer = issuer
        self.sinceMilliseconds = sinceMilliseconds
        self.recordTypes = recordTypes
        self.namePrefix = namePrefix
        self.expiresMilliseconds = expiresMilliseconds
    }
}
