import Identity
import Wire

// A peer's statements about a zone, and the changes of a zone here.
extension SyncCore {
    mutating func zoneState(
        _ state: ZoneState,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        var theirs: [LogKey: UInt64] = [:]
        var roots: [LogKey: Hash] = [:]
        var own: Set<LogKey> = []
        for log in state.logs where log.size > 0 {
            let key = LogKey(zone: state.zone, actor: log.actor, lane: log.lane)
            theirs[key] = log.size
            roots[key] = log.root
            if isOwn(log.device, log.incarnation) { own.insert(key) }
        }
        sessions[id]?.isReconciled = true
        guard zones[state.zone] != nil else {
            // For another account's zones the terms are sent, and people asked.
            guard let peer = sessions[id]?.account, peer == account else { return }
            // Between our own devices the terms of a zone that another account made come before its state: else one
            // of them could name any number of zones about which no transaction would ever answer.
            if let terms = sessions[id]?.unmade.removeValue(forKey: state.zone) { join(terms, on: id, into: &effects) }
            guard isDerived(state.genesis) || sessions[id]?.joining[state.zone] != nil else { return }
            sessions[id]?.reset(state.zone, theirs: theirs, at: now, limits: limits)
            learn(state, on: id, into: &effects)
            return
        }
        takePartAsWell(in: state.zone, on: id, at: now, into: &effects)
        guard let snapshot = view(state.zone, for: id) else { return }
        take(theirs, state: state, on: id, at: now)
        noteEmptyLogs(state, snapshot, into: &effects)
        saveHeld(theirs, roots, snapshot, on: id, into: &effects)
        for key in theirs.keys.sorted() {
            guard let size = theirs[key] else { continue }
            if own.contains(key) { checkOwn(key, size: size, into: &effects) }
            if let ours = snapshot.logs[key], ours.size == size, ours.root != roots[key] {
                probe(key, size: size, on: id, into: &effects)
            }
        }
        if state.wantsReply { tellState(of: state.zone, wantsReply: false, on: id, into: &effects) }
        markDirty(snapshot, on: id, at: now)
        pump(id, at: now, into: &effects)
    }

    /// Notes logs that are not held here and that, by the peer's statement, have no effective part: operations that
    /// wait for them may be released.
    private func noteEmptyLogs(_ state: ZoneState, _ snapshot: ZoneSnapshot, into effects: inout [SyncEffect]) {
        guard snapshot.isWaiting else { return }
        let news = state.logs.filter { log in
            let key = LogKey(zone: state.zone, actor: log.actor, lane: log.lane)
            return log.size == 0 && snapshot.logs[key] == nil && snapshot.emptyLogs[key] == nil
        }
        if !news.isEmpty { effects.append(.write(.noteEmptyLogs(state.zone, news))) }
    }

    /// Handles a zone that is not known here: the peer may begin to send as soon as it learns that we have nothing of
    /// it.
    private mutating func learn(_ state: ZoneState, on id: SessionID, into effects: inout [SyncEffect]) {
        // A zone that another account made is being made by its terms.
        if isDerived(state.genesis) { effects.append(.write(.learn(id, state.zone, state.genesis))) }
        guard state.wantsReply else { return }
        let empty = ZoneState(
            zone: state.zone,
            genesis: state.genesis,
            logs: [],
            checkpoint: .zero,
            wantsReply: false
        )
        effects.append(.send(id, .zoneState(empty)))
    }

    /// Whether every device of this account can derive the terms of a zone by itself; the terms of other zones, and
    /// of those that it owns together with another account, are sent.
    func isDerived(_ genesis: ZoneGenesis) -> Bool {
        genesis.owner == account && genesis.partner == nil
    }

    /// Takes in the terms of a zone.
    mutating func zoneTerms(_ terms: ZoneTerms, on id: SessionID, into effects: inout [SyncEffect]) {
        let zone = ZoneID(terms.genesis)
        guard let peer = sessions[id]?.account, zones[zone] == nil, !isDerived(terms.genesis) else { return }
        // Only the owners of a pair zone may send its terms.
        if terms.genesis.partner != nil {
            guard terms.genesis.owners.contains(account), terms.genesis.owners.contains(peer) else { return }
        }
        guard peer == account else {
            // Anyone could make accounts, and zones to offer.
            guard !isStranger(peer) else { return }
            effects.append(.offerZone(peer, terms))
            return
        }
        join(terms, on: id, into: &effects)
    }

    private mutating func join(_ terms: ZoneTerms, on id: SessionID, into effects: inout [SyncEffect]) {
        sessions[id]?.joining[ZoneID(terms.genesis)] = terms
        effects.append(.write(.join(id, terms)))
    }

    /// Takes in the sizes that the peer states.
    ///
    /// A question comes at any time, and so does the answer to ours: runs on their way to the peer may be missing in
    /// them, so then only larger sizes are taken over. An unrequested state means that a run did not fit, and
    /// replaces the earlier sizes.
    private mutating func take(_ theirs: [LogKey: UInt64], state: ZoneState, on id: SessionID, at now: UInt64) {
        let zone = state.zone
        let isExpected = state.wantsReply || sessions[id]?.asked.removeValue(forKey: zone) != nil
        guard isExpected, sessions[id]?.isSending(zone) == true, sessions[id]?.zones[zone] != nil else {
            sessions[id]?.reset(zone, theirs: theirs, at: now, limits: limits)
            return
        }
        sessions[id]?.zones[zone]?.toldAt = now
        for key in theirs.keys.sorted() {
            if let size = theirs[key] { _ = sessions[id]?.acknowledged(key, size: size, at: now) }
        }
    }

    /// Saves the sizes that a peer states that it holds: as good as an acknowledgement, as far as we hold them
    /// ourselves.
    ///
    /// The exception is our own log, if the peer holds more than we ever wrote, or something else: that is another
    /// history.
    private func saveHeld(
        _ theirs: [LogKey: UInt64],
        _ roots: [LogKey: Hash],
        _ snapshot: ZoneSnapshot,
        on id: SessionID,
        into effects: inout [SyncEffect]
    ) {
        guard let device = sessions[id]?.device else { return }
        var rows: [LogKey: UInt64] = [:]
        for (key, log) in snapshot.logs {
            let size = min(theirs[key] ?? 0, log.size)
            let isOther = size == log.size && (theirs[key] != log.size || roots[key] != log.root)
            if isOther, isOwn(log.device, log.incarnation) { continue }
            if size > 0 { rows[key] = size }
        }
        if !rows.isEmpty, isMember(id, of: snapshot.zone) { effects.append(.write(.acknowledge(device, rows))) }
    }

    /// Notices a peer that holds more of our own log than we ever wrote.
    ///
    /// The store may be ahead of the core's knowledge, and a run that was read then may be back already.
    func checkOwn(_ key: LogKey, size: UInt64, into effects: inout [SyncEffect]) {
        guard size > max(zones[key.zone]?.size(key) ?? 0, ownSizes[key] ?? 0) else { return }
        effects.append(.write(.renewIfBehind(key, localIncarnation, size: size)))
    }

    /// Shows the peer the hashes of a log on which the two contradict each other: it can prove from them that the log was
    /// forked, and where.
    ///
    /// Once in a session for each log, until something is proven.
    mutating func probe(_ key: LogKey, size: UInt64, on id: SessionID, into effects: inout [SyncEffect]) {
        guard size > 0, sessions[id]?.probed.insert(key).inserted == true else { return }
        sessions[id]?.probing.insert(key)
        effects.append(.read(.skeleton(id, key)))
    }

    /// Handles the fork of a log, which ends there from now on: another contradiction there is another fork.
    mutating func forked(_ proof: ForkProof) {
        let key = proof.first.head.key
        for id in sessions.keys.sorted() { sessions[id]?.probed.remove(key) }
    }

    mutating func zoneChanged(
        _ snapshot: ZoneSnapshot,
        before: [LogKey: UInt64],
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let earlier = zones.updateValue(snapshot, forKey: snapshot.zone)
        if earlier?.isUnverified == true, !snapshot.isUnverified { liveSets.forget(snapshot.zone) }
        let beginsToWait = snapshot.isWaiting && earlier?.isWaiting != true
        for id in sessions.keys.sorted() {
            sessions[id]?.reconciler = nil
            if beginsToWait { askSoonForWaiting(id, at: now) }
            sessions[id]?.joining[snapshot.zone] = nil
            sessions[id]?.unmade[snapshot.zone] = nil
            if earlier == nil {
                checkLeaving(id, at: now)
                // Something may be shared for the first time in this session.
                tellProgram(id, into: &effects)
            }
            guard sessions[id]?.phase == .active, let snapshot = view(snapshot.zone, for: id) else { continue }
            if sessions[id]?.zones[snapshot.zone] == nil {
                guard sessions[id]?.isReconciled == true, sessions[id]?.asked[snapshot.zone] == nil, earlier != nil
                else {
                    // Nothing is known of this zone at the peer: we send our state, and it answers with its own. The
                    // same applies while it has not answered: a zone that it sees since a moment ago was in no
                    // comparison.
                    ask(snapshot.zone, on: id, at: now, into: &effects)
                    continue
                }
                var baseline = snapshot.logs.mapValues(\.size)
                for (key, size) in before { baseline[key] = size }
                sessions[id]?.zones[snapshot.zone] = PeerSession.ZoneProgress(theirs: baseline)
            }
            for key in before.keys { markDirty(key, snapshot, on: id, at: now) }
            pump(id, at: now, into: &effects)
        }
    }

    /// Stops synchronising a zone.
    mutating func forget(_ zone: ZoneID, at now: UInt64) {
        zones[zone] = nil
        authorities[zone] = nil
        liveSets.forget(zone)
        for id in sessions.keys.sorted() {
            sessions[id]?.forget(zone, at: now)
            sessions[id]?.reconciler = nil
            checkLeaving(id, at: now)
        }
    }

    private mutating func markDirty(_ snapshot: ZoneSnapshot, on id: SessionID, at now: UInt64) {
        for key in snapshot.logs.keys { markDirty(key, snapshot, on: id, at: now) }
    }

    /// Our own operations go out at once, those of others after a moment.
    private mutating func markDirty(_ key: LogKey, _ snapshot: ZoneSnapshot, on id: SessionID, at now: UInt64) {
        guard let sent = sessions[id]?.sentSize(key), snapshot.size(key) > sent else { return }
        let isForwarded = !isOwn(key, snapshot)
        let notBefore = isForwarded ? now + limits.forwardDelayMilliseconds : now
        sessions[id]?.markDirty(key, notBefore: notBefore, isForwarded: isForwarded, at: now)
    }
}
