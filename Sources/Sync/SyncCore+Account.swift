import Identity
import Wire

// Sessions as they begin and end, and the account log, which comes before everything else: who may speak of zones, and
// whose runs are taken, follows from it.
extension SyncCore {
    mutating func opened(_ opening: SessionOpening, at now: UInt64, into effects: inout [SyncEffect]) {
        guard sessions.count < limits.sessionCountMax else {
            effects.append(.close(opening.session, .busy, reason: "too many sessions"))
            return
        }
        switch opening.standing {
        case .removed:
            effects.append(.close(opening.session, .refused, reason: "the device was removed from the account"))
            return
        case .active, .unknown:
            break
        }
        let isActive = opening.standing == .active
        let phase: PeerSession.Phase = isActive ? .active : .confirming(until: now + limits.confirmationMilliseconds)
        sessions[opening.session] = PeerSession(opening, phase: phase, at: now, limits: limits)
        if opening.accountHeads != accountHeads {
            if opening.isInitiator {
                let have = AccountHave(account: account, heads: accountHeads, wantsReply: true)
                effects.append(.send(opening.session, .accountHave(have)))
            } else {
                // The heads in the handshake were equal if our log has grown since: then nobody would ask.
                tellAccount(notIn: opening.accountHeads, to: opening.session, into: &effects)
            }
        }
        if isActive, opening.isInitiator { beginComparison(opening.session, at: now, into: &effects) }
    }

    mutating func accountChanged(
        _ heads: [Hash],
        _ standings: [DeviceID: Standing],
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let grew = heads != accountHeads
        accountHeads = heads
        self.standings = standings
        held = held.filter { standings[$0.key] == .active }
        for id in sessions.keys.sorted() {
            guard let session = sessions[id] else { continue }
            switch standings[session.device] ?? .unknown {
            case .removed:
                effects.append(.close(id, .refused, reason: "the device was removed from the account"))
                sessions[id] = nil
                continue
            case .active where session.phase != .active:
                sessions[id]?.phase = .active
                // The peer's own first comparison was dropped while it was unconfirmed, so this side begins one.
                beginComparison(id, at: now, into: &effects)
            case .active, .unknown:
                break
            }
            if grew, session.accountHeads != heads {
                tellAccount(notIn: session.accountHeads + (session.accountTold ?? []), to: id, into: &effects)
            }
            if grew, sessions[id]?.phase == .active { askSoonForWaiting(id, at: now) }
        }
    }

    mutating func closeForViolation(_ id: SessionID, _ reason: String, into effects: inout [SyncEffect]) {
        effects.append(.close(id, .violation, reason: reason))
        sessions[id] = nil
    }

    mutating func accountHave(_ have: AccountHave, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id] else { return }
        sessions[id]?.accountHeads = have.heads
        let wasTold = session.accountTold == accountHeads && session.accountHeads == have.heads
        if !wasTold, have.heads != accountHeads { tellAccount(notIn: have.heads, to: id, into: &effects) }
        if have.wantsReply {
            let ours = AccountHave(account: account, heads: accountHeads, wantsReply: false)
            effects.append(.send(id, .accountHave(ours)))
        }
    }

    private mutating func tellAccount(notIn heads: [Hash], to id: SessionID, into effects: inout [SyncEffect]) {
        sessions[id]?.accountTold = accountHeads
        effects.append(.readAccountEntries(id, notIn: heads))
    }

    /// Sends entries in messages that the peer takes, parents still before children.
    func sendAccountEntries(_ entries: [[UInt8]], to id: SessionID, into effects: inout [SyncEffect]) {
        guard sessions[id] != nil else { return }
        for message in AccountEntries.messages(entries, account: account) {
            effects.append(.send(id, .accountEntries(message)))
        }
    }
}
