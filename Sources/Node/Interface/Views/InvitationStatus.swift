package import Wire

/// To how many an invitation is made, and for how long.
package struct InviteLimits: Sendable, Hashable {
    /// How many accounts it lets in, 1...1,000.
    package var uses: Int
    /// How long it is good, a minute to 30 days.
    package var lifetimeMilliseconds: UInt64
    /// Whether a person has to say yes to each account.
    package var needsApproval: Bool
    /// Where this machine can be reached, as "host:port", at most 4; for networks in which it is not seen.
    package var addresses: [String]
    /// Whether a relay that the account uses counts the uses, and not this device.
    package var isCountedByRelay: Bool

    /// States limits; one account and a week if nothing else is said.
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
    /// What it is called by.
    package var id: String
    /// What is sent to whoever is invited: who has it may ask to join.
    package var link: String
    /// What whoever joins may do.
    package var level: AccessLevel
    /// How often in a row that may be handed on.
    package var delegationDepth: UInt8
    /// How many accounts it lets in.
    package var uses: Int
    /// How many have joined by it.
    package var taken: Int
    /// When nobody joins by it any more; milliseconds since 1970.
    package var expiresMilliseconds: UInt64
    /// Whether a person has to say yes to each account.
    package var needsApproval: Bool
    /// `open`, or why it lets nobody in any more: `withdrawn`, `expired`, `spent`, `orphaned`, `zone_gone`.
    package var state: String
    /// The device that made it, and has to be on to grant what it promises, unless a relay counts.
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
        state: String,
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
