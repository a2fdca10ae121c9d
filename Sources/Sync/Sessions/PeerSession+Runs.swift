import Identity
import Records
import Wire

// Runs on their way out and in, and their acknowledgement.
extension PeerSession {
    // MARK: Out

    /// Sends, or reads ahead, as far as the window allows.
    ///
    /// A peer that stands right before the end by which a commit has made a log longer is sent that from the memory of the commit. All else is
    /// read from the store.
    mutating func pump(in context: inout SyncContext) {
        while let key = nextLog(in: context) {
            let sent = sending.sentSize(key)
            guard context.rights.passesOn(key.zone, to: self), sending.zones[key.zone] != nil,
                let size = context.rights.view(key.zone, for: self)?.size(key), size > sent
            else {
                sending.clean(key)
                continue
            }
            if let tail = context.tails[key], tail.from == sent, tail.size == size,
                tail.byteCount <= UInt64(context.limits.runByteCount)
            {
                assert(context.rights.isShown(key, to: self), "a session that sees the size of a log may receive it")
                send(tail.run, of: key, byteCount: tail.run.approximateByteCount, in: &context)
                continue
            }
            sending.reading.insert(key)
            context.read(.run(id, key, from: sent, byteCount: context.limits.runByteCount))
        }
    }

    private mutating func nextLog(in context: SyncContext) -> LogKey? {
        guard isActive else { return nil }
        return sending.nextLog(at: context.now, context.limits) { context.rights.zones[$0.zone]?.size($0) ?? 0 }
    }

    /// The store has answered to the reading of a run or a skeleton.
    mutating func runRead(_ run: Run?, of key: LogKey, byteCount: Int, in context: inout SyncContext) {
        // The session's right to it may have ended while the store was asked.
        guard context.rights.isShown(key, to: self) else {
            sending.endProbe(key)
            _ = sending.finishReading(key)
            sending.clean(key)
            return
        }
        if sending.isProbe(run, of: key) {
            sending.endProbe(key)
            if let run { context.send(.run(run), to: id) }
            return
        }
        guard sending.finishReading(key) else { return }
        // Where leaves were dropped under a checkpoint a run begins with the gap, which may reach back.
        if let run, continues(run, at: sending.sentSize(key)), sending.zones[key.zone] != nil {
            send(run, of: key, byteCount: byteCount, in: &context)
        } else if run == nil {
            // The store has nothing behind that place; a later change or comparison marks the log again.
            sending.clean(key)
        }
        pump(in: &context)
    }

    /// Sends a run that continues what the peer was sent.
    private mutating func send(_ run: Run, of key: LogKey, byteCount: Int, in context: inout SyncContext) {
        assert(isActive, "runs go to devices that are confirmed")
        let size = run.signedHead.head.size
        sending.send(SendingWindow.InFlight(key: key, size: size, byteCount: max(byteCount, 0)), at: context.now)
        context.send(.run(run), to: id)
        report(.outgoing, of: key.zone, .moving, in: &context)
        if (context.rights.zones[key.zone]?.size(key) ?? 0) <= size { sending.clean(key) }
    }

    /// Whether a run continues a log that the peer holds up to a size: it begins there, or with a gap that reaches
    /// back.
    private func continues(_ run: Run, at sent: UInt64) -> Bool {
        if run.from == sent { return true }
        guard run.from < sent, run.signedHead.head.size > sent, case .gap = run.items.first else { return false }
        return true
    }

    /// Takes in the log sizes of a zone that the peer holds durably.
    mutating func take(_ acknowledgement: Acknowledge, in context: inout SyncContext) {
        let zone = acknowledgement.zone
        let (now, limits) = (context.now, context.limits)
        guard let snapshot = context.rights.view(zone, for: self) else { return }
        if sending.zones[zone] == nil, comparison.isReconciled {
            sending.zones[zone] = SendingWindow.ZoneProgress(theirs: snapshot.comparedSizes)
        }
        var grown: UInt64 = 0
        var delivered: UInt64?
        var rows: [LogKey: UInt64] = [:]
        for log in acknowledgement.logs {
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            // The peer may be ahead of us: its size is kept, so that it is not sent later the operations that it has
            // already.
            let showsRights = !snapshot.uncompared.contains(key)
            let change = sending.acknowledged(key, size: log.size, at: now, showsRights: showsRights)
            let ours = snapshot.size(key)
            grown &+= min(change.grown, ours)
            if change.isOurs { delivered = (delivered ?? 0) &+ min(change.grown, ours) }
            if change.isOurs || change.grown > 0 { comparison.progressed(at: now, limits) }
            if change.grown > 0, !change.isOurs { sending.fed(at: now, limits) }
            if log.size >= ours { sending.clean(key) }
            // More of our own log than we ever wrote: that is another history.
            if context.rights.isOwn(key, snapshot), context.rights.isAhead(key, size: log.size) { continue }
            // It cannot acknowledge operations for us that we do not have.
            let durable = min(log.size, ours)
            if durable > 0 { rows[key] = durable }
        }
        if !rows.isEmpty, context.rights.isMember(account, of: zone) { context.write(.acknowledge(device, rows)) }
        if grown > 0 { context.report(.exported(zone: zone, peer: device, count: grown)) }
        if let delivered {
            let state: Transfer.State = sending.isMoving(zone) ? .moving : .resting(isComplete: true)
            report(.outgoing, of: zone, count: delivered, state, in: &context)
        }
        pump(in: &context)
    }

    /// The peer takes nothing just now.
    mutating func take(_ pause: Pause, in context: inout SyncContext) {
        let failure: Transfer.Failure = pause.reason == .diskFull ? .peerStorageFull : .peerBusy
        for zone in Set(sending.inFlight.map(\.key.zone)).sorted() {
            report(.outgoing, of: zone, .resting(isComplete: false), failure: failure, in: &context)
        }
        sending.pausedUntil = context.now + context.limits.pauseMilliseconds
    }

    /// The peer takes runs again.
    mutating func resumed(in context: inout SyncContext) {
        sending.pausedUntil = 0
        pump(in: &context)
    }

    /// Does the work that is due in an active session.
    mutating func sendDue(in context: inout SyncContext) {
        if context.now >= comparison.nextWaitingAsk { askForWaiting(in: &context) }
        // Asks where the peer is when it has not answered a run for very long.
        while let stalledAt = sending.stalledAt(context.limits), context.now >= stalledAt,
            let zone = sending.inFlight.first?.key.zone
        {
            sending.rollBack(zone, at: context.now)
            comparison.answered(zone)
            ask(zone, in: &context)
        }
        pump(in: &context)
    }

    // MARK: In

    /// Takes in a run.
    /// - Parameters:
    ///   - run: The run.
    ///   - byteCount: The size of its encoding.
    ///   - liveSet: The live set of the zone from a peer, if one is known.
    ///   - context: The input that is handled.
    /// - Returns: False where the peer ignores the window.
    mutating func take(_ run: Run, byteCount: Int, liveSet: LiveSetComparison?, in context: inout SyncContext) -> Bool {
        let head = run.signedHead.head
        guard let purpose = purpose(of: head, liveSet, in: context) else {
            // A head of our own proves itself, whoever carries it. A device that only reads a zone may be the only
            // one that holds the rest of our log.
            if context.isAhead(head), context.rights.isShown(head.key, to: self), arriving.examinesHead() {
                context.checkOwn(run.signedHead)
            }
            return true
        }
        let applying = ArrivingRuns.Applying(
            key: head.key,
            size: head.size,
            byteCount: max(byteCount, 0),
            hasLiveSet: purpose.liveSet != nil
        )
        guard arriving.begin(applying, context.limits) else { return false }
        context.checkOwn(run.signedHead)
        context.write(.apply(id, run, head.key, purpose))
        report(.incoming, of: head.zone, .moving, in: &context)
        return true
    }

    /// Returns the purpose for which a run is taken in; `nil` when it is not taken at all.
    ///
    /// From a device that no longer takes part only control logs are taken, and its own records where this account
    /// decides about them.
    private func purpose(of head: TreeHead, _ liveSet: LiveSetComparison?, in context: SyncContext) -> RunPurpose? {
        switch context.rights.acceptance(of: head.zone, from: self) {
        case .everything: return .replication(liveSet: liveSet)
        case .control where head.lane == .control: return .replication(liveSet: nil)
        case .control where head.device == device:
            guard let authority = context.rights.authorities[head.zone], authority.rules(context.rights.account),
                authority.hasEnded(right: head.right)
            else { return nil }
            return .deposit
        case .control, .nothing: return nil
        }
    }

    /// Notes that a run of the peer is durable.
    mutating func runDurable(_ key: LogKey, size: UInt64, in context: SyncContext) {
        _ = sending.acknowledged(key, size: size, at: context.now)
        comparison.progressed(at: context.now, context.limits)
        arriving.forgetRefusal(of: key)
    }

    /// Storage works again: the peer need not wait for its pause to end.
    mutating func resume(in context: inout SyncContext) {
        if arriving.resume() { context.send(.resume, to: id) }
    }

    /// Storage failed here: when the pause ends the peer continues from the size that we state.
    mutating func pause(_ key: LogKey, reason: PauseReason, in context: inout SyncContext) {
        arriving.pause()
        context.send(.pause(Pause(reason: reason)), to: id)
        refuse(key, isRepeated: false, in: &context)
    }

    /// Sends our state to the peer, since one of its runs did not fit; once for each place if it may be a repetition.
    mutating func refuse(_ key: LogKey, isRepeated: Bool = true, in context: inout SyncContext) {
        // For a zone that is not known here there is nothing to send, nor to keep: a peer could name any number.
        guard let size = context.rights.zones[key.zone]?.size(key),
            arriving.refuse(key, at: size, isRepeated: isRepeated)
        else { return }
        tellState(of: key.zone, wantsReply: false, in: &context)
    }

    /// Answers only the sender that its run is dealt with, although it was not kept: else its bytes would be charged
    /// to the window for ever.
    func answer(_ key: LogKey, size: UInt64, in context: inout SyncContext) {
        guard context.rights.access(to: key.zone, for: self) != .nothing else { return }
        acknowledge(key, size: size, in: &context)
    }

    func acknowledge(_ key: LogKey, size: UInt64, in context: inout SyncContext) {
        let log = AcknowledgedLog(actor: key.actor, lane: key.lane, size: size)
        context.send(.acknowledge(Acknowledge(zone: key.zone, logs: [log])), to: id)
    }

    /// Answers a run behind the fork of a log that is known here.
    func answer(_ proof: ForkProof, of key: LogKey, size: UInt64, in context: inout SyncContext) {
        let isAnswered = context.rights.access(to: key.zone, for: self) != .nothing
        // A device that delivers its own log may always learn that it is forked.
        if context.rights.isShown(key, to: self) || isAnswered && device == proof.first.head.device {
            context.send(.forkProof(proof), to: id)
        }
        answer(key, size: size, in: &context)
    }

    /// Answers a run that contradicts the log that is held here.
    ///
    /// It is not answered otherwise: it is not held here, and once the fork is proven it will not be wanted.
    mutating func contradict(_ key: LogKey, in context: inout SyncContext) {
        guard context.rights.isShown(key, to: self) else { return }
        probe(key, size: context.rights.zones[key.zone]?.size(key) ?? 0, in: &context)
    }

    // MARK: Reports

    /// Reports that a run of the peer was applied, or refused.
    func reportImport(_ outcome: RunOutcome, of zone: ZoneID, in context: inout SyncContext) {
        let theirs = sending.zones[zone]?.theirs ?? [:]
        let snapshot = context.rights.zones[zone]
        let isComplete = theirs.allSatisfy {
            snapshot?.uncompared.contains($0.key) == true || snapshot?.size($0.key) ?? 0 >= $0.value
        }
        let state: Transfer.State = arriving.isApplying(zone) ? .moving : .resting(isComplete: isComplete)
        var count: UInt64 = 0
        if case .durable(_, let operations) = outcome { count = operations }
        report(.incoming, of: zone, count: count, state, failure: Transfer.Failure(outcome), in: &context)
    }

    /// Reports a step in the exchange of a zone.
    private func report(
        _ direction: Transfer.Direction,
        of zone: ZoneID,
        count: UInt64 = 0,
        _ state: Transfer.State,
        failure: Transfer.Failure? = nil,
        in context: inout SyncContext
    ) {
        guard context.rights.zones[zone]?.genesis.isInternal == false else { return }
        let transfer = Transfer(
            session: id,
            direction: direction,
            zone: zone,
            peer: device,
            account: account,
            count: count,
            state: state,
            failure: failure
        )
        context.effects.append(.transfer(transfer))
    }
}
