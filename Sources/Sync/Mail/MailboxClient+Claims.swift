import Identity
import Mailbox
import Wire

/// A claim that waits for its relay's answer.
struct PendingClaim: Sendable {
    let claim: UseClaim
    /// The time at which it is begun; other claims of the account come first.
    var begins: UInt64
    /// The time until which the caller waits for it; nil while no caller waits.
    var deadline: UInt64?
    /// Whether it is wanted also when no caller waits for it any more.
    var isKept: Bool
    /// The first slot whose content is unknown: those before it hold others.
    var next: UInt32 = 0
}

// Uses of invitations that a relay counts. Its slots are asked for one after the other, until one holds the claiming
// account, or all hold others. The content of a slot stays, so an interrupted claim continues where it was.
extension MailboxClient {
    /// Takes a claim.
    mutating func take(_ claim: UseClaim, isAwaited: Bool, at now: UInt64, into effects: inout [Effect]) {
        let deadline = isAwaited ? now + settings.claimMilliseconds : nil
        let begins = isAwaited ? now : now + claim.delay
        if let index = claims.firstIndex(where: { $0.claim.id == claim.id }) {
            claims[index].deadline = [claims[index].deadline, deadline].compactMap(\.self).min()
            claims[index].begins = min(claims[index].begins, begins)
            claims[index].isKept = claims[index].isKept || !isAwaited
            return
        }
        let isUsed = relays.contains { $0.relay == claim.relay && $0.facts.isOwn }
        guard isUsed, claims.count < settings.claimCountMax else {
            effects.append(.claimed(ClaimedUse(claim, .silent)))
            return
        }
        claims.append(PendingClaim(claim: claim, begins: begins, deadline: deadline, isKept: !isAwaited))
    }

    /// Answers callers that have waited long enough, and drops claims that no caller waits for any more.
    mutating func dropClaims(at moment: Moment, into effects: inout [Effect]) {
        for index in claims.indices.reversed() {
            let pending = claims[index]
            let isUsed = relays.contains { $0.relay == pending.claim.relay && $0.facts.isOwn }
            let isOver = moment.wall >= pending.claim.until || !isUsed
            let isLate = (pending.deadline ?? .max) <= moment.now
            guard isOver || isLate else { continue }
            if pending.isKept, !isOver {
                claims[index].deadline = nil
            } else {
                claims.remove(at: index)
            }
            effects.append(.claimed(ClaimedUse(pending.claim, .silent)))
        }
    }

    /// The time at which a claim is due without any other event.
    func nextDeadline(_ pending: PendingClaim) -> UInt64? {
        let isIdle = relays.contains { $0.relay == pending.claim.relay && $0.isIdle }
        return [pending.deadline, isIdle ? pending.begins : nil].compactMap(\.self).min()
    }

    /// Returns the next step on a session; claims alternate with all other steps.
    mutating func nextOfAll(_ index: Int, _ moment: Moment, into effects: inout [Effect]) -> RelaySession.Step? {
        let relay = relays[index].relay
        let pending = claims.first { $0.claim.relay == relay && $0.begins <= moment.now }
        let claim = pending.map { RelaySession.Step.claim($0.claim.id, slot: $0.next) }
        if let claim, !relays[index].wasClaim {
            relays[index].wasClaim = true
            return claim
        }
        relays[index].wasClaim = false
        return nextStep(index, moment, into: &effects) ?? claim
    }

    /// Returns the request to the relay for a claim at this moment.
    func request(forClaim id: Redemption.ID) -> MailboxRequest? {
        guard let pending = claims.first(where: { $0.claim.id == id }) else { return nil }
        let claim = pending.claim
        return .claim(claim.slot(pending.next), value: claim.value, until: claim.until)
    }

    /// Takes in the value that a slot holds.
    mutating func claimed(_ value: Hash, _ id: Redemption.ID, _ slot: UInt32, into effects: inout [Effect]) {
        // The caller may have gone, and come again, meanwhile: the content of the slot does not change.
        guard let index = claims.firstIndex(where: { $0.claim.id == id && $0.next == slot }) else { return }
        if value == claims[index].claim.value { return finish(id, .held, into: &effects) }
        claims[index].next += 1
        if claims[index].next >= claims[index].claim.uses { finish(id, .spent, into: &effects) }
    }

    /// Ends a claim.
    mutating func finish(_ id: Redemption.ID, _ answer: ClaimedUse.Answer, into effects: inout [Effect]) {
        guard let index = claims.firstIndex(where: { $0.claim.id == id }) else { return }
        effects.append(.claimed(ClaimedUse(claims.remove(at: index).claim, answer)))
    }
}
