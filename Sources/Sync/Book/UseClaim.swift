package import Identity
package import Wire

/// Who counts the uses of an invitation.
package enum Countersigner: Equatable, Sendable {
    /// The device that made it: it alone grants.
    case device
    /// A relay that the account uses: any device grants, once a slot there is written for the account that joins.
    case relay(RelayID, SlotKey)
}

/// A use of an invitation that a relay has to write down before it is granted.
package struct UseClaim: Equatable, Sendable {
    /// Who asks, by which invitation.
    package let id: Redemption.ID
    /// The relay that counts.
    package let relay: RelayID
    /// How many slots there are.
    package let uses: UInt32
    /// Until when they are to be held, in milliseconds since 1970.
    package let until: UInt64
    /// For how long it is left to other devices of the account, in milliseconds, when nobody waits for it.
    package private(set) var delay: UInt64 = 0
    private let key: SlotKey

    /// Makes a claim.
    /// - Parameters:
    ///   - id: Who asks, by which invitation.
    ///   - relay: The relay that counts.
    ///   - key: What the slots follow from.
    ///   - uses: How many there are.
    ///   - until: Until when they are to be held, in milliseconds since 1970.
    package init(_ id: Redemption.ID, relay: RelayID, key: SlotKey, uses: UInt32, until: UInt64) {
        self.id = id
        self.relay = relay
        self.key = key
        self.uses = uses
        self.until = until
    }

    /// The same claim, left to others for a while.
    /// - Parameter milliseconds: For how long, when nobody waits for it.
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

    /// What stands in a slot that is this account's.
    package var value: Hash { key.value(of: id.account) }
}

/// What a relay says to a claim.
package struct ClaimedUse: Equatable, Sendable {
    /// What is said.
    package enum Answer: Hashable, Sendable {
        /// A slot holds the account: it is one of those for whom the invitation is.
        case held
        /// All slots hold others.
        case spent
        /// Nothing: nobody knows, and nothing is granted.
        case silent
    }

    /// What was claimed.
    package let claim: UseClaim
    /// What the relay said.
    package let answer: Answer

    /// Says what became of a claim.
    /// - Parameters: as the properties of the same names.
    package init(_ claim: UseClaim, _ answer: Answer) {
        self.claim = claim
        self.answer = answer
    }

    /// What was said to a claim; silent about any other one.
    func answer(to claim: UseClaim) -> Answer {
        let isSame = self.claim.id == claim.id && self.claim.relay == claim.relay && self.claim.value == claim.value
        return isSame ? answer : .silent
    }
}
