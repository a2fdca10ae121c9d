package import Identity
package import Wire

/// The party that counts the uses of an invitation.
package enum Countersigner: Equatable, Sendable {
    /// The device that made the invitation; no other device grants.
    case device
    /// A relay that the account uses: any device grants, once a slot there is written for the account that joins.
    case relay(RelayID, SlotKey)
}

/// A use of an invitation that a relay has to write down before it is granted.
package struct UseClaim: Equatable, Sendable {
    /// The asking account and its invitation.
    package let id: Redemption.ID
    /// The relay that counts the uses.
    package let relay: RelayID
    /// The number of slots.
    package let uses: UInt32
    /// The end of the time for which the slots are held, in milliseconds since 1970.
    package let until: UInt64
    /// The time for which the claim is left to other devices of the account while no device waits for it, in
    /// milliseconds.
    package private(set) var delay: UInt64 = 0
    private let key: SlotKey

    /// Makes a claim.
    /// - Parameters:
    ///   - id: The asking account and its invitation.
    ///   - relay: The relay that counts the uses.
    ///   - key: The key from which the slots are derived.
    ///   - uses: The number of slots.
    ///   - until: The end of the time for which the slots are held, in milliseconds since 1970.
    package init(_ id: Redemption.ID, relay: RelayID, key: SlotKey, uses: UInt32, until: UInt64) {
        self.id = id
        self.relay = relay
        self.key = key
        self.uses = uses
        self.until = until
    }

    /// The same claim, left to others for a while.
    /// - Parameter milliseconds: The time to leave it to others, when no device waits for it.
    /// - Returns: The claim.
    package func delayed(by milliseconds: UInt64) -> UseClaim {
        var claim = self
        claim.delay = milliseconds
        return claim
    }

    /// The slot of a use.
    /// - Parameter index: Which, from zero.
    /// - Returns: The slot.
    package func slot(_ index: UInt32) -> SlotID { key.slot(index) }

    /// The content of a slot that belongs to this account.
    package var value: Hash { key.value(of: id.account) }
}

/// A relay's answer to a claim.
package struct ClaimedUse: Equatable, Sendable {
    /// The answer.
    package enum Answer: Hashable, Sendable {
        /// A slot holds the account: the account may use the invitation.
        case held
        /// All slots hold other accounts.
        case spent
        /// There is no answer: the result is unknown, and nothing is granted.
        case silent
    }

    /// The claim.
    package let claim: UseClaim
    /// The relay's answer.
    package let answer: Answer

    /// Describes the result of a claim.
    /// - Parameters: as the properties of the same names.
    package init(_ claim: UseClaim, _ answer: Answer) {
        self.claim = claim
        self.answer = answer
    }

    /// Returns the answer to a claim; `silent` for any other claim.
    func answer(to claim: UseClaim) -> Answer {
        let isSame = self.claim.id == claim.id && self.claim.relay == claim.relay && self.claim.value == claim.value
        return isSame ? answer : .silent
    }
}
