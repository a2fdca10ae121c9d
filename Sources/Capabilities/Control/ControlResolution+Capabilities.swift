import Wire

extension ControlResolution {
    /// Decides the capabilities of one depth and the operations under them.
    /// - Parameter ids: Those that effective operations grant; all of one depth.
    /// - Returns: The capabilities of the next depth.
    mutating func count(_ ids: [Hash]) -> [Hash] {
        for id in ids { record(id) }
        let left = ids.flatMap { decideLeaves(under: $0) }
        for (account, departure) in left { leaves[account, default: []].append(departure) }
        // Those of smaller depths are in the records already.
        let byAccount = Dictionary(grouping: left, by: \.account)
        for id in ids {
            guard let account = state.capabilities[id]?.capability.audience, let new = byAccount[account] else {
                continue
            }
            let ended = new.map(\.departure.ending).filter { ends(id, by: $0) }
            state.capabilities[id]?.leaves.append(contentsOf: ended)
            state.capabilities[id]?.leaves.sort { $0.entry < $1.entry }
        }
        let before = Set(grants.keys)
        for id in ids { decideEntries(under: id) }
        return grants.keys.filter { !before.contains($0) }.sorted()
    }

    /// Notes a capability that is granted, with the verdicts of smaller depths on it.
    mutating func record(_ id: Hash) {
        let carriers = grants[id] ?? []
        guard let verified = carriers.first?.verified,
            let first = carriers.map(\.entry).min(by: { ResolutionOrder($0) < ResolutionOrder($1) })
        else { return }
        let parent = state.capabilities[verified.capability.parent]
        let chain = (parent?.chain ?? []) + [id]
        var record = CapabilityRecord(verified: verified, chain: chain, since: first.hash)
        var revocations = parent?.revocations ?? []
        for revoker in revokers[id] ?? [] where revoker.reaches(chain) {
            revocations.append(revoker.ending)
        }
        record.revocations = revocations.uniqueByEntry
        let audience = verified.capability.audience
        let concerned = (leaves[audience] ?? []).filter { $0.depth <= chain.count }.map(\.ending)
        record.leaves = concerned.filter { ends(id, by: $0) }.uniqueByEntry
        state.capabilities[id] = record
        tokens[audience, default: []].insert(id)
        noteDeviceCuts(under: id, of: record.capability.audience)
    }

    /// Whether a leave concerns a capability: not one that was granted in view of the leave, to an account that is to
    /// come back.
    func ends(_ id: Hash, by leave: Ending) -> Bool {
        (grants[id] ?? []).contains { !$0.entry.hasSeen(leave.place) }
    }

    /// Returns the leaves written under a capability that the cuts from smaller depths keep effective.
    private mutating func decideLeaves(under id: Hash) -> [(account: AccountID, departure: Departure)] {
        guard let record = state.capabilities[id] else { return [] }
        let account = record.capability.audience
        var found: [(account: AccountID, departure: Departure)] = []
        for log in entries[id].logsByDevice {
            guard let first = log.first, speaks(first.device, for: account) == .counts else { continue }
            let cut = state.cut(of: first.log, device: first.device, under: id, directory: directory)
            for entry in log {
                guard case .leave(let leave) = entry.body, cut.admits(entry.place.counter) else { continue }
                state.verdicts[entry.hash] = .counts
                let ending = Ending(entry, cuts: leave.cuts, isConfirmed: false)
                found.append((account, Departure(right: id, depth: record.chain.count, ending: ending)))
            }
        }
        return found
    }

    private mutating func decideEntries(under id: Hash) {
        guard let record = state.capabilities[id] else { return }
        let account = record.capability.audience
        for log in entries[id].logsByDevice {
            guard let first = log.first else { continue }
            let verdict = speaks(first.device, for: account)
            let cut = state.cut(of: first.log, device: first.device, under: id, directory: directory)
            for entry in log where state.verdicts[entry.hash] == nil {
                guard verdict == .counts else {
                    state.verdicts[entry.hash] = verdict
                    continue
                }
                guard cut.admits(entry.place.counter) else {
                    state.verdicts[entry.hash] = .void(.aboveCut)
                    continue
                }
                take(entry, account: account, record: record)
            }
        }
    }
}

extension [Ending] {
    /// Each operation once, ascending by its hash.
    var uniqueByEntry: [Ending] {
        var known: Set<Hash> = []
        return filter { known.insert($0.entry).inserted }.sorted { $0.entry < $1.entry }
    }
}
