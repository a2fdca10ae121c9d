package import KairanInterface
package import Wire

/// The number of accounts that an invitation lets in, and its lifetime.
package struct InviteLimits: Sendable, Hashable {
    /// The number of accounts that the invitation lets in, 1...1,000.
    package var uses: Int
    /// The lifetime of the invitation, a minute to 30 days.
    package var lifetimeMilliseconds: UInt64
    /// Whether a person has to approve each account.
    package var needsApproval: Bool
    /// The addresses at which this machine can be reached, as "host:port", at most 4; for networks in which it
    /// cannot be discovered.
    package var addresses: [String]
    /// Whether a relay that the account uses counts the uses, and not this device.
    package var isCountedByRelay: Bool

    /// States limits; by default, one account and a week.
    package init(
        uses: Int = 1,
        lifetimeMilliseconds: UInt64 = 604_800_000,
        needsApproval: Bool = false,
        addresses: [String] = [],
        isCountedByRelay: Bool = false
    ) {
        self.uses = uses
        self.lifetimeMilliseconds = lifetimeMilliseconds
        self.needsApproval = needsApproval
        self.addresses = addresses
        self.isCountedByRelay = isCountedByRelay
    }
}

/// An invitation to a zone.
package struct InvitationStatus: Sendable {
    /// The id of the invitation.
    package var id: String
    /// The link for the invited account; an account that has it may ask to join.
    package var link: String
    /// The access level of accounts that join.
    package var level: AccessLevel
    /// The number of times in a row that the right may be delegated.
    package var delegationDepth: UInt8
    /// The number of accounts that the invitation lets in.
    package var uses: Int
    /// The number of accounts that have joined by it.
    package var taken: Int
    /// The end of its lifetime, in milliseconds since 1970.
    package var expiresMilliseconds: UInt64
    /// Whether a person has to approve each account.
    package var needsApproval: Bool
    /// `open`, or the reason why it lets no account in any more.
    package var state: Invitation.State
    /// The device that made it, which has to be online to grant the right, unless a relay counts the uses.
    package var device: DeviceID
    /// The relay that counts its uses; `nil` = the device does.
    package var relay: RelayID?

    /// Makes a status.
    package init(
        id: String,
        link: String,
        level: AccessLevel,
        delegationDepth: UInt8,
        uses: Int,
        taken: Int,
        expiresMilliseconds: UInt64,
        needsApproval: Bool,
        state: Invitation.State,
        device: DeviceID,
        relay: RelayID? = nil
    ) {
        self.id = id
        self.link = link
        self.level = level
        self.delegationDepth = delegationDepth
        self.uses = uses
        self.taken = taken
        self.expiresMilliseconds = expiresMilliseconds
        self.needsApproval = needsApproval
        self.state = state
        self.device = device
        self.relay = relay
    }
}

extension InvitationStatus: UnprintedSecret {
    package var description: String { "invitation" }
}
