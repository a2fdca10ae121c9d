import Identity
import Wire

// One more leave, and one more correction, in a log that is resolved already.
extension ControlResolution {
    /// Decides one more leave, and ends the capabilities that it ends.
    /// - Returns: False if an operation that was effective and had an effect becomes ineffective.
    /// - Complexity: O(capabilities of the account · (logs under them + leaves)), and O(operations that become void).
    mutating func enterLeave(_ entry: ControlEntry, _ leave: Leave, under record: CapabilityRecord) -> Bool {
        let account = record.capability.audience
        let verdict = speaks(entry.device, for: account)
        guard verdict == .counts, cut(of: entry, by: endingsOfLeaves(under: record)).admits(entry.place.counter) else {
            state.verdicts[entry.hash] = verdict == .counts ? .void(.aboveCut) : verdict
            noteCut(entry)
            return true
        }
        state.verdicts[entry.hash] = .counts
        let depth = record.chain.count
        let ending = Ending(entry, cuts: leave.cuts, isConfirmed: false)
        leaves[account, default: []].append(Departure(right: entry.right, depth: depth, ending: ending))
        for id in tokens[account] ?? [] {
            guard let old = state.capabilities[id], old.chain.count >= depth, ends(id, by: ending) else { continue }
            let place = old.leaves.partitioningIndex { $0.entry < ending.entry }
            state.capabilities[id]?.leaves.insert(ending, at: place)
            concludeStatus(of: id)
            guard cutBack(id, from: old.revocations + old.leaves),
                old.chain.count == depth || leavesStand(under: id)
            else { return false }
        }
        let held = state.participants[account]?.capabilities ?? []
        let live = held.filter { state.capabilities[$0]?.status == .live }
        if live != held { findParticipant(account, live) }
        return true
    }

    /// Whether a capability that is granted again may be one that a leave ends for the first time by that: at the
    /// time of the grant, its account had not left.
    func returns(by entry: ControlEntry, _ record: CapabilityRecord) -> Bool {
        let unseen = (leaves[record.capability.audience] ?? []).filter { departure in
            departure.depth <= record.chain.count && !entry.hasSeen(departure.ending.place)
        }
        if unseen.isEmpty { return false }
        let known = Set(record.leaves.map(\.entry))
        return !unseen.allSatisfy { known.contains($0.ending.entry) }
    }

    /// Whether the effective leaves under a right are effective by the cuts that bind them.
    /// - Complexity: O(leaves of the account · (log n + endings that are no leaves of their depth)).
    func leavesStand(under right: Hash) -> Bool {
        guard let record = state.capabilities[right], let all = leaves[record.capability.audience] else { return true }
        let said = all.filter { $0.right == right }
        if said.isEmpty { return true }
        let endings = endingsOfLeaves(under: record)
        let places = entries[right]
        return said.allSatisfy { departure in
            guard let entry = places.entry(at: departure.ending.place, departure.ending.entry) else { return false }
            return cut(of: entry, by: endings).admits(entry.place.counter)
        }
    }

    /// The endings that bear on leaves under a capability: all of it but for leaves of its own depth.
    func endingsOfLeaves(under record: CapabilityRecord) -> [Ending] {
        let depth = record.chain.count
        let others = (leaves[record.capability.audience] ?? []).filter { $0.depth >= depth }
        let own = Set(others.map(\.ending.entry))
        return record.revocations + record.leaves.filter { !own.contains($0.entry) }
    }

    /// Applies an owner's effective correction to the cuts under a right.
    /// - Returns: False if an operation that has an effect becomes effective or ineffective by it, or if it replaces
    ///   others.
    /// - Complexity: O(operations under the right), and O(logs under it · (log n + endings)).
    mutating func correct(by entry: ControlEntry, _ correction: CutRaise) -> Bool {
        let right = correction.capability
        let (isStanding, isCorrected) = (stands(entry), state.isCorrected(right))
        // A correction by a device that does not stand is ignored beside one by a device that does.
        if !isStanding, isCorrected { return true }
        // The first one that stands takes the place of all others.
        if isStanding, !isCorrected, state.raises[right] != nil { return false }
        let said = entries[right]
        // The corrections also determine which statements and which leaves hold.
        let isBound = said.contains { entry in
            switch entry.body {
            case .deviceCuts: true
            case .leave: state.verdicts[entry.hash] != .counts
            default: false
            }
        }
        if isBound { return false }
        let before = said.logs.map { log in log.last.map { cut(of: $0) } }
        _ = raise(by: entry)
        state.raises[right]?.sort { $0.entry < $1.entry }
        for (log, old) in zip(said.logs, before) {
            guard let last = log.last else { continue }
            let new = cut(of: last)
            if new == old { continue }
            for entry in log where new.admits(entry.place.counter) && state.verdicts[entry.hash] == .void(.aboveCut) {
                guard readmit(entry) else { return false }
            }
        }
        return cutBack(right) && leavesStand(under: right)
    }

    /// Makes an operation effective that lay above the cut of its log.
    /// - Returns: False if that has an effect.
    private mutating func readmit(_ entry: ControlEntry) -> Bool {
        guard !entry.body.rules, !entries.hasAny(under: entry.hash), let account = state.account(of: entry.right) else {
            return false
        }
        let record = state.capabilities[entry.right]
        if record != nil || decideOwner(entry, account: account) { take(entry, account: account, record: record) }
        return true
    }
}
