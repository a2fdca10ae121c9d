import Identity
import Session
package import Sync
package import Wire

// The logs of accounts, the rights in zones, and the secrets that follow from them.
extension PeerCore {
    /// Follows a change of the account log: cuts take effect in the store, sessions of removed devices end.
    /// - Parameters:
    ///   - suppliesKeys: Whether this device supplies the keys of zones at once: it does where the change was made
    ///     here. Devices that only learn of a change do so within a minute, and mostly find it done.
    ///   - turn: The step.
    package mutating func accountChanged(suppliesKeys: Bool, in turn: inout Turn) {
        let log = turn.account.log
        let standings = Standing.all(in: log.state)
        sessions.logChanged(standings, of: log.account, routes: routes(turn.account))
        turn.effects.append(.ruleZones(suppliesKeys: suppliesKeys))
        feed(.accountChanged(heads: log.announcedHeads, standings: standings), in: &turn)
        let relays = log.state.activeDevices.filter { log.state.devices[$0]?.role == .relayOnly }
        feed(.relaysChanged(Set(relays)), in: &turn)
        keepRecoverySecret(in: &turn)
        updateFleetKeys(in: &turn)
        rememberMembers(in: &turn)
        turn.effects.append(.logChanged(log.account))
    }

    /// Follows a change of another account's log: cuts take effect in the store, sessions of removed devices end.
    /// - Parameters:
    ///   - account: The account.
    ///   - turn: The step.
    package mutating func contactChanged(_ account: AccountID, in turn: inout Turn) {
        guard let log = turn.account.contactLogs[account] else { return }
        sessions.logChanged(Standing.all(in: log.state), of: account, routes: routes(turn.account))
        turn.effects.append(.ruleZones(suppliesKeys: false))
        report(log, in: &turn)
        rememberMembers(in: &turn)
        // A request may wait for the account's log before it is granted.
        turn.effects.append(.readBook)
    }

    /// Passes the synchronisation core the state of another account's log.
    mutating func report(_ log: AccountLog, in turn: inout Turn) {
        let standings = Standing.all(in: log.state)
        feed(.contactChanged(log.account, heads: log.announcedHeads, standings: standings), in: &turn)
        turn.effects.append(.logChanged(log.account))
    }

    mutating func insert(_ entries: [[UInt8]], of account: AccountID, from id: SessionID, in turn: inout Turn) {
        let before = turn.account.log(of: account)?.revision
        do {
            try turn.account.insert(entries, of: account)
        } catch {
            turn.effects.append(.report(.entries(id, error)))
            switch error {
            case .notKept: break
            // The peer is not at fault: it may come again.
            case .notWritten: close(id, .busy, in: &turn)
            case .invalid(let error):
                violated("account entries: \(error)", on: id, in: &turn)
                close(id, .violation, in: &turn)
            }
        }
        // Also when a bad entry followed good ones, which stay.
        guard turn.account.log(of: account)?.revision != before else { return }
        if account == turn.account.accountState.account {
            accountChanged(suppliesKeys: false, in: &turn)
        } else {
            contactChanged(account, in: &turn)
        }
    }

    /// Keeps the offered secret of the recovery words, at once or when the log names their key.
    mutating func keepRecoverySecret(in turn: inout Turn) {
        report(failureOf: .recovery, in: &turn) { try $0.keepOfferedDoor() }
        feed(.recoverySecretChanged(turn.account.recoverySecret), in: &turn)
    }

    /// Updates the fleet keys; the key in use is the first one that this device has.
    mutating func updateFleetKeys(in turn: inout Turn) {
        report(failureOf: .fleet, in: &turn) { try $0.updateFleetKeys() }
        let fleet = turn.account.fleetKeys
        feed(.fleetKeysChanged(fleet.order.handed, held: Set(fleet.entries)), in: &turn)
        let former = toldFleetKey
        toldFleetKey = fleet.key.entry
        guard let former, former != fleet.key.entry else { return }
        turn.effects.append(.report(.fleetKeyReplaced(fleet.key.entry)))
        // An instance that was not recognised may be recognised now, and a device that was off may be called.
        reconsiderSightings(in: &turn)
        turn.effects.append(.announce)
        sessions.directory.forgetRefusals()
    }

    // MARK: Rights

    /// Takes the changes of a commit.
    /// - Parameters:
    ///   - changes: The changes.
    ///   - turn: The step.
    package mutating func committed(_ changes: PeerNotice, in turn: inout Turn) {
        for authority in changes.authorities { rightsChanged(authority, in: &turn) }
        for zone in changes.forgotten { forgot(zone, in: &turn) }
        for payload in changes.unwanted { feed(.payloadForgotten(payload), in: &turn) }
        for change in changes.zones {
            feed(.zoneChanged(change.snapshot, before: change.before, tails: change.tails), in: &turn)
        }
        if changes.zones.contains(where: \.snapshot.genesis.isInternal) { turn.effects.append(.readBook) }
        // A write that was under way when this device learnt of its removal.
        if sync.hasLateWrites { isDirectoryChanged = true }
    }

    mutating func rightsChanged(_ authority: ZoneAuthority, in turn: inout Turn) {
        feed(.rightsChanged(authority), in: &turn)
        // A peer that was refused since it had lost its right may have one again.
        if rendezvous.hasNewReader(authority) { sessions.directory.forgetRefusals() }
        guard rendezvous.update(authority, own: turn.account.accountState.account) else { return }
        // A peer that was refused may be accepted now.
        sessions.directory.forgetRefusals()
        rendezvousChanged(in: &turn)
    }

    private mutating func forgot(_ zone: ZoneID, in turn: inout Turn) {
        feed(.zoneForgotten(zone), in: &turn)
        rendezvous.remove(zone, own: turn.account.accountState.account)
        rendezvousChanged(in: &turn)
    }

    /// Takes the facts of the account's book.
    /// - Parameters:
    ///   - facts: The facts.
    ///   - turn: The step.
    package mutating func bookRead(_ facts: BookFacts, in turn: inout Turn) {
        // Read just before the account was replaced.
        guard facts.account == turn.account.accountState.account else { return }
        // An account whose block has ended was refused until now.
        if !book.blocked.isSubset(of: facts.blocked) { sessions.directory.forgetRefusals() }
        for claim in facts.claims { turn.effects.append(.claim(claim, isAwaited: false)) }
        book = facts
        turn.effects.append(.secretsChanged)
        for id in sessions.ids where sessions.isOpen(id) {
            guard let account = sessions[id]?.account, facts.blocked.contains(account) else { continue }
            turn.effects.append(.report(.blocked(account)))
            close(id, .refused, in: &turn)
        }
        changeInvitations(in: &turn) { $0.refuse(facts.blocked, into: &$2) }
        changeJoining(in: &turn) { $0.refuse(facts.blocked, into: &$2) }
    }
}
