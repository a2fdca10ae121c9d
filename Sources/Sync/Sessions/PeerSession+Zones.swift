import Identity
import Wire

// The peer's statements about a zone, and the changes of a zone and its rights here.
extension PeerSession {
    /// Takes in the peer's state of a zone, and sends the operations that it lacks.
    mutating func take(_ state: ZoneState, in context: inout SyncContext) {
        var theirs: [LogKey: UInt64] = [:]
        var roots: [LogKey: Hash] = [:]
        for log in state.logs where log.size > 0 {
            let key = LogKey(zone: state.zone, actor: log.actor, lane: log.lane)
            theirs[key] = log.size
            roots[key] = log.root
        }
        comparison.isReconciled = true
        guard context.rights.zones[state.zone] != nil else {
            // For another account's zones the terms are sent, and people asked.
            guard account == context.rights.account else { return }
            // Between our own devices the terms of a zone that another account made come before its state: else one
            // of them could name any number of zones about which no transaction would ever answer.
            if let terms = joining.takeUnmade(state.zone) { join(terms, in: &context) }
            guard context.rights.isDerived(state.genesis) || joining.isUnderWay(state.zone) else { return }
            sending.reset(state.zone, theirs: theirs, at: context.now, context.limits)
            learn(state, in: &context)
            return
        }
        takePartAsWell(in: state.zone, in: &context)
        guard let snapshot = context.rights.view(state.zone, for: self) else { return }
        take(theirs, state: state, in: context)
        noteEmptyLogs(state, snapshot, in: &context)
        saveHeld(theirs, roots, snapshot, in: &context)
        for key in theirs.keys.sorted() {
            guard let size = theirs[key] else { continue }
            if let ours = snapshot.logs[key], ours.size == size, ours.root != roots[key] {
                probe(key, size: size, in: &context)
            }
        }
        returnHeads(theirs, snapshot, in: &context)
        if state.wantsReply { tellState(of: state.zone, wantsReply: false, in: &context) }
        for key in snapshot.logs.keys { markDirty(key, snapshot, in: context) }
        pump(in: &context)
    }

    // MARK: Zones that are not known here

    /// Handles a zone that is not known here: the peer may begin to send as soon as it learns that we have nothing of
    /// it.
    private func learn(_ state: ZoneState, in context: inout SyncContext) {
        // A zone that another account made is being made by its terms.
        if context.rights.isDerived(state.genesis) { context.write(.learn(id, state.zone, state.genesis)) }
        guard state.wantsReply else { return }
        let empty = ZoneState(zone: state.zone, genesis: state.genesis, logs: [], checkpoint: .zero, wantsReply: false)
        context.send(.zoneState(empty), to: id)
    }

    /// Takes in the terms of a zone.
    mutating func take(_ terms: ZoneTerms, in context: inout SyncContext) {
        let rights = context.rights
        guard rights.zones[ZoneID(terms.genesis)] == nil, !rights.isDerived(terms.genesis) else { return }
        // Only the owners of a pair zone may send its terms.
        let owners = terms.genesis.owners
        if terms.genesis.partner != nil, !owners.contains(rights.account) || !owners.contains(account) { return }
        guard account != rights.account else { return join(terms, in: &context) }
        // Anyone could make accounts, and zones to offer.
        if !rights.isStranger(account) { context.effects.append(.offerZone(account, terms)) }
    }

    private mutating func join(_ terms: ZoneTerms, in context: inout SyncContext) {
        joining.begin(terms)
        context.write(.join(id, terms))
    }

    /// A zone was not made here.
    mutating func failed(_ zone: ZoneID, in context: SyncContext) {
        joining.failed(zone, context.limits)
        forget(zone, in: context)
    }

    // MARK: The peer's logs

    /// Notes logs that are not held here and that, by the peer's statement, have no effective part: operations that
    /// wait for them may be released.
    private func noteEmptyLogs(_ state: ZoneState, _ snapshot: ZoneSnapshot, in context: inout SyncContext) {
        guard snapshot.isWaiting else { return }
        let news = state.logs.filter { log in
            let key = LogKey(zone: state.zone, actor: log.actor, lane: log.lane)
            return log.size == 0 && snapshot.logs[key] == nil && snapshot.emptyLogs[key] == nil
        }
        if !news.isEmpty { context.write(.noteEmptyLogs(state.zone, news)) }
    }

    /// Takes in the sizes that the peer states.
    ///
    /// A question comes at any time, and so does the answer to ours: runs on their way to the peer may be missing in
    /// them, so then only larger sizes are taken over. An unrequested state means that a run did not fit, and
    /// replaces the earlier sizes.
    private mutating func take(_ theirs: [LogKey: UInt64], state: ZoneState, in context: SyncContext) {
        let zone = state.zone
        let isExpected = state.wantsReply || comparison.answered(zone)
        guard isExpected, sending.isSending(zone), sending.zones[zone] != nil else {
            sending.reset(zone, theirs: theirs, at: context.now, context.limits)
            return
        }
        sending.zones[zone]?.toldAt = context.now
        for (key, size) in theirs.sorted(by: { $0.key < $1.key }) {
            _ = sending.acknowledged(key, size: size, at: context.now)
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
        in context: inout SyncContext
    ) {
        var rows: [LogKey: UInt64] = [:]
        for (key, log) in snapshot.logs {
            let size = min(theirs[key] ?? 0, log.size)
            let isOther = size == log.size && (theirs[key] != log.size || roots[key] != log.root)
            if isOther, context.rights.isOwn(log.device, log.incarnation) { continue }
            if size > 0 { rows[key] = size }
        }
        if !rows.isEmpty, context.rights.isMember(account, of: snapshot.zone) {
            context.write(.acknowledge(device, rows))
        }
    }

    /// Shows the peer the hashes of a log on which the two contradict each other: it can prove from them that the log
    /// was forked, and where.
    ///
    /// Once in a session for each log, until something is proven.
    mutating func probe(_ key: LogKey, size: UInt64, in context: inout SyncContext) {
        guard size > 0, sending.beginProbe(key) else { return }
        context.read(.skeleton(id, key))
    }

    /// Shows the peer the newest head of each of its own logs of which it states less than is held here: its store was
    /// rolled back, and it must not write at places that it has used.
    ///
    /// The operations follow as any others, if the peer takes them from this device at all.
    private mutating func returnHeads(
        _ theirs: [LogKey: UInt64],
        _ snapshot: ZoneSnapshot,
        in context: inout SyncContext
    ) {
        let returned = snapshot.logs.filter { $0.value.device == device && $0.value.size > theirs[$0.key] ?? 0 }
        for (key, log) in returned.sorted(by: { $0.key < $1.key }) where sending.beginReturn(key, size: log.size) {
            context.read(.skeleton(id, key))
        }
    }

    /// Our own operations go out at once, those of others after a moment.
    private mutating func markDirty(_ key: LogKey, _ snapshot: ZoneSnapshot, in context: SyncContext) {
        guard snapshot.size(key) > sending.sentSize(key) else { return }
        let isForwarded = !context.rights.isOwn(key, snapshot)
        let notBefore = isForwarded ? context.now + context.limits.forwardDelayMilliseconds : context.now
        sending.markDirty(key, notBefore: notBefore, isForwarded: isForwarded, at: context.now)
    }

    // MARK: Changes here

    /// A zone is known, or has changed.
    /// - Parameters:
    ///   - zone: The zone as it is.
    ///   - earlier: The zone before; `nil` for one that was not known.
    ///   - before: The earlier sizes of the logs that have grown.
    ///   - context: The input that is handled.
    mutating func zoneChanged(
        _ zone: ZoneSnapshot,
        from earlier: ZoneSnapshot?,
        before: [LogKey: UInt64],
        in context: inout SyncContext
    ) {
        comparison.reconciler = nil
        if zone.isWaiting, earlier?.isWaiting != true {
            comparison.askSoonForWaiting(at: context.now, context.limits)
        }
        joining.ended(zone.zone)
        // Something may be shared for the first time in this session.
        if earlier == nil { tellProgram(in: &context) }
        guard isActive, let snapshot = context.rights.view(zone.zone, for: self) else { return }
        if sending.zones[zone.zone] == nil {
            guard comparison.isReconciled, comparison.asked[zone.zone] == nil, earlier != nil else {
                // Nothing is known of this zone at the peer: we send our state, and it answers with its own. The
                // same applies while it has not answered: a zone that it sees since a moment ago was in no
                // comparison.
                ask(zone.zone, in: &context)
                return
            }
            // A peer that was found equal need not hold a log that was not compared then.
            let held = snapshot.comparedSizes.filter { earlier?.uncompared.contains($0.key) != true }
            let baseline = held.merging(before) { $1 }
            sending.zones[zone.zone] = SendingWindow.ZoneProgress(theirs: baseline)
        }
        let newlyCompared = (earlier?.uncompared ?? []).subtracting(snapshot.uncompared)
        for key in newlyCompared.union(before.keys).sorted() { markDirty(key, snapshot, in: context) }
        pump(in: &context)
    }

    /// Drops the knowledge about a zone, which is not kept here, or of which the peer sees another part.
    mutating func forget(_ zone: ZoneID, in context: SyncContext) {
        sending.forget(zone, at: context.now)
        comparison.answered(zone)
        joining.forget(zone)
    }

    /// A zone is no longer synchronised.
    mutating func zoneEnded(_ zone: ZoneID, in context: SyncContext) {
        forget(zone, in: context)
        comparison.reconciler = nil
    }

    /// Restarts the comparison of a zone in a session that may receive more or less of it than before.
    mutating func compareAccess(to zone: ZoneID, with before: ZoneAccess?, in context: inout SyncContext) {
        guard before != context.rights.access(to: zone, for: self) else { return }
        // The knowledge about the zone at the peer was about another part of it.
        forget(zone, in: context)
        comparison.reconciler = nil
        // Something may be shared for the first time in this session.
        tellProgram(in: &context)
        if isActive, context.rights.view(zone, for: self) != nil { ask(zone, in: &context) }
    }

    /// Takes part in a zone that this device only read until now, since another device of this account names it: so
    /// the account takes part.
    private mutating func takePartAsWell(in zone: ZoneID, in context: inout SyncContext) {
        guard account == context.rights.account, context.rights.isVisited(zone), joining.named.insert(zone).inserted
        else { return }
        comparison.reconciler = nil
        if let authority = context.rights.authorities[zone] { askForAccounts(of: authority, in: &context) }
    }
}
