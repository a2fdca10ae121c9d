import Capabilities
import Identity
import Records
import Sync
import Wire

extension Neighbours {
    /// A week from now, by a device's clock.
    func week(on index: Int) -> UInt64 { homes[index].wall + 7 * 86_400_000 }

    /// Makes an invitation on a device.
    mutating func invite(
        _ level: AccessLevel = .write,
        canDelegate: Bool = false,
        caveats: Caveats = Caveats(),
        uses: UInt32 = 1,
        expires: UInt64? = nil,
        needsApproval: Bool = false,
        isCountedByRelay: Bool = false,
        by index: Int,
        zone: ZoneID
    ) throws -> Invite {
        let terms = InviteTerms(
            rights: Rights(level, canDelegate: canDelegate),
            caveats: caveats,
            uses: uses,
            expires: expires ?? week(on: index),
            needsApproval: needsApproval
        )
        return try change(index) {
            try Invitations($0).make(terms, zone: zone, isCountedByRelay: isCountedByRelay, random: &$1, in: &$2).invite
        }
    }

    /// Lets one device request a right from another.
    @discardableResult
    mutating func redeem(
        _ invite: Invite,
        from joiner: Int,
        at index: Int,
        claimed: ClaimedUse? = nil
    ) throws -> RedemptionOutcome {
        let attempt = JoinAttempt(
            account: logs[homes[joiner].account].state,
            device: homes[joiner].keys.deviceID,
            invite: invite.identifier
        )
        return try change(index) { try Redemptions($0).redeem(attempt, claimed: claimed, random: &$1, in: &$2).outcome }
    }

    mutating func settle(_ index: Int) throws {
        try change(index) { _ = try Redemptions($0).grantWaiting(random: &$1, in: &$2) }
    }

    /// Gives one device another one's contents of their account's book, or nothing while there is none.
    mutating func pullBook(from source: Int, to target: Int) throws {
        let genesis = AccountZone(committer(source)).genesis
        guard try homes[source].store.zone(ZoneID(genesis)) != nil else { return }
        try change(target) { _ = try ZoneLifecycle($0).learn(ZoneID(genesis), genesis: genesis, in: &$2) }
        try pull(ZoneID(genesis), from: source, to: target)
    }

    /// Lets the devices of an account have the same book.
    mutating func exchangeBook(among indices: [Int]) throws {
        for _ in 0..<2 {
            for source in indices {
                for target in indices where target != source { try pullBook(from: source, to: target) }
            }
        }
    }

    /// The requests that a device shows.
    func requests(on index: Int, zone: ZoneID? = nil) throws -> [Redemption] {
        try Redemptions(committer(index)).requests(for: zone, in: homes[index].store)
    }

    /// Returns the state of an invitation as a device sees it.
    func state(of invite: Invite, on index: Int) throws -> Invite.State? {
        try Invitations(committer(index)).all(in: homes[index].store).first {
            $0.invite.identifier == invite.identifier
        }?
        .state
    }

    /// The accounts that take part in a zone, as a device sees it, as places in `logs`.
    func participants(of zone: ZoneID, on index: Int) throws -> Set<Int> {
        let state = try controlState(zone, on: index)
        return Set(logs.indices.filter { state.participants[account($0)] != nil })
    }
}

extension RedemptionOutcome {
    /// The capability, if it was granted.
    var capability: Hash? {
        guard case .joined(_, let capability) = self else { return nil }
        return capability
    }
}
