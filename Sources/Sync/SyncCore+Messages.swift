import Identity
import Wire

// What a message from a peer leads to. Every message of an unconfirmed device except account entries is dropped, since
// its right to speak of zones is not known yet.
extension SyncCore {
    mutating func received(
        _ message: PeerMessage,
        byteCount: Int,
        on id: SessionID,
        at now: UInt64,
        wall: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id] else { return }
        sessions[id]?.lastHeard = now
        switch message {
        case .accountHave(let have):
            guard have.account == account else {
                closeForViolation(id, "speaks of another account", into: &effects)
                return
            }
            sessions[id]?.accountHeads = have.heads
            accountHave(have, on: id, into: &effects)
        case .accountEntries(let answer):
            guard answer.account == account else {
                closeForViolation(id, "speaks of another account", into: &effects)
                return
            }
            effects.append(.insertAccountEntries(id, answer.entries))
        case .ping(let ping):
            effects.append(.send(id, .pong(Pong(nonce: ping.nonce, wallMilliseconds: wall))))
        case .pong(let pong):
            measure(pong, on: id, at: now, wall: wall, into: &effects)
        case .pairRequest, .pairWelcome, .pairRefusal, .pairDone:
            closeForViolation(id, "a pairing message in a member session", into: &effects)
        case _ where session.phase != .active:
            break
        case .rangeDigests(let digests):
            compare(digests.ranges, on: id, at: now, into: &effects)
        case .rangeItems(let items):
            compare(items, on: id, at: now, into: &effects)
        case .zoneState(let state):
            zoneState(state, on: id, at: now, into: &effects)
        case .run(let run):
            runReceived(run, byteCount: byteCount, on: id, into: &effects)
        case .acknowledge(let acknowledgement):
            acknowledged(acknowledgement, on: id, at: now, into: &effects)
        case .pause:
            sessions[id]?.pausedUntil = now + limits.pauseMilliseconds
        case .resume:
            sessions[id]?.pausedUntil = 0
            pump(id, at: now, into: &effects)
        case .forkProof(let proof):
            effects.append(.recordFork(proof))
        }
    }

    private mutating func measure(
        _ pong: Pong,
        on id: SessionID,
        at now: UInt64,
        wall: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let session = sessions[id], let ping = session.pingSent, ping.nonce == pong.nonce else { return }
        sessions[id]?.pingSent = nil
        let roundTrip = now >= ping.at ? now - ping.at : 0
        // The other clock was read half a round trip ago, as well as can be known.
        let skew = Int64(clamping: pong.wallMilliseconds) &+ Int64(clamping: roundTrip / 2) &- Int64(clamping: wall)
        effects.append(
            .report(
                .measured(
                    peer: session.device,
                    roundTripMilliseconds: Double(roundTrip),
                    skewMilliseconds: skew
                )
            )
        )
    }

    // MARK: - Comparing

    /// A message of digests holds at most `Limits.rangeCountMax` ranges.
    private static let digestsPerMessage = 512
    /// A message of listed ranges holds at most `Limits.rangeItemCountMax` items, and a range lists at most 16.
    private static let listingsPerMessage = 128

    mutating func beginComparison(_ id: SessionID, at now: UInt64, into effects: inout [SyncEffect]) {
        guard let reconciler = reconciler(for: id) else { return }
        sessions[id]?.nextComparison = now + limits.antiEntropyMilliseconds
        effects.append(.send(id, .rangeDigests(RangeDigests(ranges: reconciler.opening))))
    }

    private mutating func reconciler(for id: SessionID) -> RangeReconciler? {
        guard let session = sessions[id] else { return nil }
        if let current = session.reconciler { return current }
        let list = zones.values.map { (zone: $0.zone, state: $0.state) }
        let made = RangeReconciler(zones: list, binding: session.binding)
        sessions[id]?.reconciler = made
        return made
    }

    private mutating func compare(
        _ digests: [RangeDigest],
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let reconciler = reconciler(for: id), let session = sessions[id] else { return }
        sessions[id]?.isReconciled = true
        guard !digests.isEmpty else {
            // The peer found all our ranges equal to its own.
            effects.append(.report(.inSync(peer: session.device)))
            return
        }
        let answer = reconciler.answer(digests: digests)
        for part in answer.digests.parts(of: Self.digestsPerMessage) {
            effects.append(.send(id, .rangeDigests(RangeDigests(ranges: part))))
        }
        for part in answer.items.parts(of: Self.listingsPerMessage) {
            effects.append(.send(id, .rangeItems(RangeItems(ranges: part, isReply: false))))
        }
        if answer == RangeReconciler.DigestAnswer(), digests.contains(where: { $0.prefix.count == 0 }) {
            effects.append(.send(id, .rangeDigests(RangeDigests(ranges: []))))
            effects.append(.report(.inSync(peer: session.device)))
        }
    }

    private mutating func compare(
        _ list: RangeItems,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        guard let reconciler = reconciler(for: id) else { return }
        sessions[id]?.isReconciled = true
        let answer = reconciler.answer(items: list.ranges, isReply: list.isReply)
        for zone in answer.differing { tellState(of: zone, wantsReply: true, on: id, into: &effects) }
        for part in answer.reply.parts(of: Self.listingsPerMessage) {
            effects.append(.send(id, .rangeItems(RangeItems(ranges: part, isReply: true))))
        }
        // A difference was found: compare again soon, so that "in sync" is known when it is true.
        if let planned = sessions[id]?.nextComparison {
            sessions[id]?.nextComparison = min(planned, now + 2_000)
        }
    }

    func tellState(of zone: ZoneID, wantsReply: Bool, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let snapshot = zones[zone] else { return }
        let state = ZoneState(
            zone: zone,
            genesis: snapshot.genesis,
            logs: snapshot.sortedLogs,
            checkpoint: snapshot.checkpoint,
            wantsReply: wantsReply
        )
        effects.append(.send(id, .zoneState(state)))
    }

    // MARK: - Zones

    private mutating func zoneState(
        _ state: ZoneState,
        on id: SessionID,
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        var theirs: [LogKey: UInt64] = [:]
        for log in state.logs {
            let actor = ActorID(device: log.device, incarnation: log.incarnation)
            theirs[LogKey(zone: state.zone, actor: actor, lane: log.lane)] = log.size
        }
        sessions[id]?.isReconciled = true
        sessions[id]?.reset(state.zone, theirs: theirs)
        guard let snapshot = zones[state.zone] else {
            effects.append(.createZone(id, state.zone, state.genesis))
            if state.wantsReply {
                let empty = ZoneState(
                    zone: state.zone,
                    genesis: state.genesis,
                    logs: [],
                    checkpoint: .zero,
                    wantsReply: false
                )
                effects.append(.send(id, .zoneState(empty)))
            }
            return
        }
        for (key, size) in theirs where key.actor == localActor && size > snapshot.size(key) {
            effects.append(.foundBehind(key, size: size))
        }
        if state.wantsReply { tellState(of: state.zone, wantsReply: false, on: id, into: &effects) }
        markDirty(snapshot, on: id, notBefore: now)
        pump(id, at: now, into: &effects)
    }

    mutating func zoneChanged(
        _ snapshot: ZoneSnapshot,
        before: [LogKey: UInt64],
        at now: UInt64,
        into effects: inout [SyncEffect]
    ) {
        let earlier = zones.updateValue(snapshot, forKey: snapshot.zone)
        for id in sessions.keys.sorted() {
            sessions[id]?.reconciler = nil
            guard let session = sessions[id], session.phase == .active else { continue }
            if session.zones[snapshot.zone] == nil {
                guard session.isReconciled, earlier != nil else {
                    // Nothing is known of this zone at the peer: tell where we are, it answers where it is.
                    tellState(of: snapshot.zone, wantsReply: true, on: id, into: &effects)
                    continue
                }
                var baseline = snapshot.logs.mapValues(\.size)
                for (key, size) in before { baseline[key] = size }
                sessions[id]?.zones[snapshot.zone] = PeerSession.ZoneProgress(theirs: baseline)
            }
            for key in before.keys {
                let isOwn = key.actor == localActor
                markDirty(key, snapshot, on: id, notBefore: isOwn ? now : now + limits.forwardDelayMilliseconds)
            }
            pump(id, at: now, into: &effects)
        }
    }

    private mutating func markDirty(_ snapshot: ZoneSnapshot, on id: SessionID, notBefore: UInt64) {
        for key in snapshot.logs.keys { markDirty(key, snapshot, on: id, notBefore: notBefore) }
    }

    private mutating func markDirty(_ key: LogKey, _ snapshot: ZoneSnapshot, on id: SessionID, notBefore: UInt64) {
        guard let session = sessions[id], snapshot.size(key) > session.sentSize(key) else { return }
        sessions[id]?.dirty[key] = min(session.dirty[key] ?? notBefore, notBefore)
    }
}

extension Array {
    /// Consecutive parts of at most `count` elements.
    fileprivate func parts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
