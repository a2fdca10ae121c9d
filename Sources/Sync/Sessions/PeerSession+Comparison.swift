import Wire

// Finding the zones that differ, and sending their state.
extension PeerSession {
    /// A message of digests holds at most `Limits.rangeCountMax` ranges.
    private static let digestsPerMessage = 512
    /// A message of listed ranges holds at most `Limits.rangeItemCountMax` items, and a range lists at most 16.
    private static let listingsPerMessage = 128

    /// Begins a comparison of all zones.
    mutating func beginComparison(in context: inout SyncContext) {
        let opening = reconciler(in: context).opening
        comparison.begin(at: context.now, context.limits)
        context.send(.rangeDigests(RangeDigests(ranges: opening)), to: id)
        askForWaiting(in: &context)
    }

    private mutating func reconciler(in context: SyncContext) -> RangeReconciler {
        // The zones that another account may see change with the clock alone.
        if account == context.rights.account, let current = comparison.reconciler { return current }
        let list = context.rights.views(for: self).map { (zone: $0.zone, state: $0.state) }
        let made = RangeReconciler(zones: list, binding: binding)
        comparison.reconciler = made
        return made
    }

    /// Compares the peer's digests with the zones that it sees.
    /// - Returns: Whether the two are equal, as this side has seen for itself.
    mutating func compare(_ digests: [RangeDigest], in context: inout SyncContext) -> Bool {
        let reconciler = reconciler(in: context)
        comparison.isReconciled = true
        guard !digests.isEmpty else {
            // The peer found all our ranges equal to its own.
            comparison.end()
            context.report(.inSync(peer: device))
            return false
        }
        let isOpening = digests.contains { $0.prefix.count == 0 }
        if isOpening { comparison.end() }
        let answer = reconciler.answer(digests: digests)
        guard answer != RangeReconciler.DigestAnswer() else {
            // The differences of the beginning are equal by now; the next comparison shows whether everything is.
            guard isOpening else {
                comparison.followUp(at: context.now, context.limits)
                return false
            }
            context.send(.rangeDigests(RangeDigests(ranges: [])), to: id)
            foundEqual(in: &context)
            return true
        }
        for part in answer.digests.parts(of: Self.digestsPerMessage) {
            context.send(.rangeDigests(RangeDigests(ranges: part)), to: id)
        }
        for part in answer.items.parts(of: Self.listingsPerMessage) {
            context.send(.rangeItems(RangeItems(ranges: part, isReply: false)), to: id)
        }
        tellDiffering(answer.differing, in: &context)
        comparison.followUp(at: context.now, context.limits)
        return false
    }

    /// Compares the zones that the peer lists with those that it sees.
    mutating func compare(_ list: RangeItems, in context: inout SyncContext) {
        let answer = reconciler(in: context).answer(items: list.ranges, isReply: list.isReply)
        comparison.isReconciled = true
        tellDiffering(answer.differing, in: &context)
        for part in answer.reply.parts(of: Self.listingsPerMessage) {
            context.send(.rangeItems(RangeItems(ranges: part, isReply: true)), to: id)
        }
        comparison.followUp(at: context.now, context.limits)
    }

    /// Handles a comparison in which both sides are equal: it replaces acknowledgements that were lost, or given while
    /// the two were apart.
    private mutating func foundEqual(in context: inout SyncContext) {
        context.report(.inSync(peer: device))
        comparison.foundEqual(context.limits)
        var rows: [LogKey: UInt64] = [:]
        for snapshot in context.rights.views(for: self) where context.rights.isMember(account, of: snapshot.zone) {
            guard context.rights.noteHeld(snapshot, by: device) else { continue }
            for (key, size) in snapshot.comparedSizes { rows[key] = size }
            if rows.count >= context.limits.acknowledgementCountMax {
                context.write(.acknowledge(device, rows))
                rows = [:]
            }
        }
        if !rows.isEmpty { context.write(.acknowledge(device, rows)) }
    }

    /// Sends the state of zones that differ.
    ///
    /// While the two are at work a zone's state is sent rarely, since most zones will be equal soon; it is sent at
    /// all in case a message was lost.
    private mutating func tellDiffering(_ differing: [ZoneID], in context: inout SyncContext) {
        let isWorking = isWorking(at: context.now, context.limits)
        for zone in differing {
            let toldAt = sending.zones[zone]?.toldAt
            if isWorking, let toldAt, context.now < toldAt + context.limits.stallMilliseconds { continue }
            ask(zone, in: &context)
        }
    }

    /// Asks about the zones in which operations wait, if it is time to.
    mutating func askForWaiting(in context: inout SyncContext) {
        let waiting = context.rights.views(for: self).filter(\.isWaiting).map(\.zone)
        for zone in comparison.askForWaiting(waiting, at: context.now, context.limits) { ask(zone, in: &context) }
    }

    /// Sends our state of a zone, so that the peer sends its own; once until it answers.
    mutating func ask(_ zone: ZoneID, in context: inout SyncContext) {
        guard comparison.ask(zone, at: context.now, context.limits) else { return }
        tellState(of: zone, wantsReply: true, in: &context)
    }

    /// Sends our state of a zone, with the terms and the proofs of forks that belong to it.
    mutating func tellState(of zone: ZoneID, wantsReply: Bool, in context: inout SyncContext) {
        guard let snapshot = context.rights.view(zone, for: self) else { return }
        tellTerms(of: snapshot, in: &context)
        let state = ZoneState(
            zone: zone,
            genesis: snapshot.genesis,
            logs: snapshot.toldLogs,
            checkpoint: snapshot.checkpoint,
            wantsReply: wantsReply
        )
        context.send(.zoneState(state), to: id)
        // Where the two know different forks, their logs differ; the proofs make them equal.
        for (_, proof) in snapshot.forks.sorted(by: { $0.key < $1.key }) { context.send(.forkProof(proof), to: id) }
    }

    /// Sends the terms of a zone once in a session, to a peer that may not have them yet.
    ///
    /// Devices of the zone's first account derive it all by themselves, but for a zone that has two.
    private mutating func tellTerms(of snapshot: ZoneSnapshot, in context: inout SyncContext) {
        guard let terms = context.rights.authorities[snapshot.zone]?.terms,
            account != snapshot.genesis.owner || snapshot.genesis.partner != nil,
            context.rights.access(to: snapshot.zone, for: self) == .everything,
            joining.told.insert(snapshot.zone).inserted
        else { return }
        context.send(.zoneTerms(terms), to: id)
    }
}

extension Array {
    /// Consecutive parts of at most `count` elements.
    fileprivate func parts(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
