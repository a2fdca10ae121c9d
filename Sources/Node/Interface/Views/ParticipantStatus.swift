package import Wire

/// An account that takes part in a zone.
package struct ParticipantStatus: Sendable, Hashable {
    /// The account.
    package var account: AccountID
    /// Whether it is this one.
    package var isThis: Bool
    /// Its active devices, as far as they are known here.
    package var devices: [DeviceName]
    /// Its capabilities that hold, the strongest first; at least one.
    package var capabilities: [CapabilityStatus]

    /// Makes a status.
    package init(account: AccountID, isThis: Bool, devices: [DeviceName], capabilities: [CapabilityStatus]) {
        self.account = account
        self.isThis = isThis
        self.devices = devices
        self.capabilities = capabilities
    }
}

/// A capability that somebody holds.
package struct CapabilityStatus: Sendable, Hashable {
    /// Its id.
    package var capability: Hash
    /// What it lets its holder do.
    package var level: AccessLevel
    /// How often in a row it may be handed on; 0 = not at all.
    package var delegationDepth: UInt8
    /// The account that handed it on.
    package var issuer: AccountID
    /// When, by that account's clock; milliseconds since 1970.
    package var sinceMilliseconds: UInt64
    /// The only record types that may be written; empty = all.
    package var recordTypes: [String]
    /// What the names of records begin with that may be written.
    package var namePrefix: String
    /// When it ends; `nil` = never.
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
