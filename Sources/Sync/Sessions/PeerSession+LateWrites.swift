import Identity
import Wire

// Writes from after the end of a right: a device delivers its own to those who decide about them.
extension PeerSession {
    // MARK: Of this device

    /// Delivers this device's writes in a zone after its account lost the right to: those who rule the zone decide
    /// about them.
    ///
    /// It does so once in a session for each zone.
    mutating func offerDeposit(of zone: ZoneID, in context: inout SyncContext) {
        guard account != context.rights.account, context.rights.takesDeposits(of: zone, self),
            lateWrites.deposited.insert(zone).inserted
        else { return }
        context.read(.deposits(id, zone, above: nil))
    }

    /// Begins to deliver this device's writes from before it learnt of its removal to another device of its account.
    ///
    /// The zones follow each other. The peer receives the sizes of this device's logs and answers how much of them it
    /// holds: where they end is stated in the zone's control log, which a removed device does not receive. The next
    /// zone follows when the peer has answered the last run.
    mutating func offerLateWrites(in context: inout SyncContext) {
        guard context.rights.isRemoved, lateWrites.handover == nil, context.rights.isFellow(self) else { return }
        lateWrites.handover = LateWrites.Handover(zones: context.rights.zones.keys.sorted())
        offerNextLateWrites(in: &context)
    }

    private mutating func offerNextLateWrites(in context: inout SyncContext) {
        lateWrites.handover?.awaited = nil
        while let zone = lateWrites.handover?.zones.popLast() {
            let own = context.rights.writtenLogs(in: zone)
            lateWrites.handover?.offered.merge(own) { _, new in new }
            guard !own.isEmpty, context.rights.takesDeposits(of: zone, self) else { continue }
            let logs = own.map { AcknowledgedLog(actor: $0.key.actor, lane: $0.key.lane, size: $0.value) }
            lateWrites.handover?.awaited = .sizes(zone)
            context.send(.acknowledge(Acknowledge(zone: zone, logs: logs)), to: id)
            return
        }
        // Writes that were stored meanwhile are offered in another session.
        if let handover = lateWrites.handover { context.rights.handedOver = handover.offered }
    }

    /// The peer answered an offer, or runs of this device: if the last one of a zone's late writes is among them, the
    /// next zone follows.
    mutating func lateWritesAnswered(_ answer: Acknowledge, in context: inout SyncContext) {
        switch lateWrites.handover?.awaited {
        case .sizes(answer.zone):
            guard lateWrites.deposited.insert(answer.zone).inserted else { return }
            let sizes = answer.logs.map { (ActorLane(actor: $0.actor, lane: $0.lane), $0.size) }
            context.read(.deposits(id, answer.zone, above: Dictionary(sizes) { first, _ in first }))
        case .run(let key)
        where key.zone == answer.zone && answer.logs.contains { $0.actor == key.actor && $0.lane == key.lane }:
            offerNextLateWrites(in: &context)
        case .sizes, .run, nil: break
        }
    }

    /// The store has read this device's writes in a zone.
    mutating func depositsRead(_ runs: [Run], of zone: ZoneID, in context: inout SyncContext) {
        guard lateWrites.deposited.contains(zone) else { return }
        // The peer's right to decide may have ended while the store was asked, and it may come back. A removal may
        // turn out not to be effective.
        guard context.rights.takesDeposits(of: zone, self) else {
            lateWrites.deposited.remove(zone)
            return
        }
        for run in runs { context.send(.run(run), to: id) }
        guard case .sizes(zone) = lateWrites.handover?.awaited else { return }
        if let last = runs.last {
            lateWrites.handover?.awaited = .run(last.signedHead.head.key)
        } else {
            offerNextLateWrites(in: &context)
        }
    }

    // MARK: Of the peer

    /// Takes in the sizes of a removed device's own logs in a zone, and answers with the sizes that are held here.
    ///
    /// It is done once in a session for each zone.
    mutating func lateWritesOffered(_ offer: Acknowledge, in context: inout SyncContext) {
        let isFirst = lateWrites.toldHeld.isEmpty
        guard context.rights.isRemovedFellow(self), let zone = context.rights.zones[offer.zone],
            lateWrites.toldHeld.insert(offer.zone).inserted
        else { return }
        // Its runs may be longer than the messages of a device that is to be confirmed.
        if isFirst { context.effects.append(.setPlace(id, .removed)) }
        extendConfirmation(in: context)
        let held = offer.logs.compactMap { log -> AcknowledgedLog? in
            let known = zone.logs[LogKey(zone: offer.zone, actor: log.actor, lane: log.lane)]
            guard log.lane == .data, known.map({ $0.device == device }) ?? true else { return nil }
            return AcknowledgedLog(actor: log.actor, lane: log.lane, size: known?.size ?? 0)
        }
        context.send(.acknowledge(Acknowledge(zone: offer.zone, logs: held)), to: id)
    }

    /// A session with a removed device lasts for some seconds from its last late write.
    private mutating func extendConfirmation(in context: SyncContext) {
        let limits = context.limits
        let until = min(context.now + limits.leavingMilliseconds, openedAt + limits.lateWritesMilliseconds)
        phase = .confirming(until: until)
    }

    /// Takes in a run from a removed device of this account: of its own writes, the part above the cut may be kept.
    /// - Returns: False where the peer ignores the window.
    mutating func takeLate(_ run: Run, byteCount: Int, in context: inout SyncContext) -> Bool {
        let head = run.signedHead.head
        guard context.rights.isRemovedFellow(self), head.device == device, head.lane == .data,
            context.rights.zones[head.zone] != nil
        else { return true }
        let applying = ArrivingRuns.Applying(key: head.key, size: head.size, byteCount: max(byteCount, 0))
        guard arriving.begin(applying, context.limits) else { return false }
        context.write(.apply(id, run, head.key, .deposit))
        return true
    }

    /// Answers a removed device with the size of its own log that was kept; it receives nothing else of the zone.
    mutating func lateRunApplied(_ outcome: RunOutcome, of key: LogKey, in context: inout SyncContext) {
        var kept: UInt64 = 0
        if case .durable(let size, let operations) = outcome, operations > 0 { kept = size }
        extendConfirmation(in: context)
        acknowledge(key, size: kept, in: &context)
    }
}
