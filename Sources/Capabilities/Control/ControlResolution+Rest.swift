import Wire

extension ControlResolution {
    /// Decides what is written under rights that no operation grants which counts.
    ///
    /// Such a right is void if some operation carries it and all that do are void, or if it is the ownership that an operation
    /// would make which is void; else it is waited for. What is written under a void right is void; under one that is waited
    /// for, it waits. The least set of void things that is closed
    /// under this: capabilities that are granted only under one another wait for ever.
    mutating func settleRest() {
        var carriers: [Hash: [ControlEntry]] = [:]
        var open: [Hash: Int] = [:]
        for entry in entries.values.joined() {
            for carried in entry.carried where grants[carried.id] == nil {
                carriers[carried.id, default: []].append(entry)
                if !isVoid(entry, carrying: carried.id) { open[carried.id, default: 0] += 1 }
            }
        }
        var queue = carriers.keys.filter { open[$0] == nil }
        for (hash, verdict) in state.verdicts {
            if case .void = verdict, entries[hash] != nil { queue.append(hash) }
        }
        while let id = queue.popLast() {
            for entry in entries[id] ?? [] where state.verdicts[entry.hash] == nil {
                state.verdicts[entry.hash] = .void(.rightVoid)
                if entries[entry.hash] != nil { queue.append(entry.hash) }
                for carried in entry.carried {
                    guard let count = open[carried.id] else { continue }
                    open[carried.id] = count - 1
                    if count == 1 { queue.append(carried.id) }
                }
            }
        }
        for (right, entries) in entries {
            for entry in entries where state.verdicts[entry.hash] == nil {
                state.verdicts[entry.hash] = .waiting(.capability(right))
            }
        }
        let reasons = Dictionary(grouping: state.voidParts, by: \.capability)
        for (id, carriers) in carriers {
            state.ungranted[id] = status(of: carriers, voidParts: reasons[id] ?? [])
        }
    }

    /// Whether an operation certainly does not grant a capability that it carries.
    private func isVoid(_ entry: ControlEntry, carrying id: Hash) -> Bool {
        switch state.verdicts[entry.hash] {
        // One that counts does not in what it says of this capability.
        case .void, .counts: true
        case .waiting, nil: false
        }
    }

    /// What becomes of a capability that these operations carry in vain: waited for, if one of them may yet grant it, else
    /// void for the reason that the first one gives.
    private func status(of carriers: [ControlEntry], voidParts: [VoidPart]) -> CapabilityStatus? {
        let statuses = carriers.sorted { ResolutionOrder($0) < ResolutionOrder($1) }.compactMap {
            entry -> CapabilityStatus? in
            switch state.verdicts[entry.hash] {
            case .waiting(let reason): .waiting(reason)
            case .void(let reason): .void(reason)
            case .counts: voidParts.first { $0.entry == entry.hash }.map { .void($0.reason) }
            case nil: nil
            }
        }
        return statuses.first { if case .waiting = $0 { true } else { false } } ?? statuses.first
    }

    /// Says what all operations that count say together.
    mutating func conclude() {
        for id in state.capabilities.keys {
            guard let record = state.capabilities[id] else { continue }
            let endings = Set((record.revocations + record.leaves).map(\.entry))
            state.capabilities[id]?.status = endings.isEmpty ? .live : .ended(by: endings.sorted())
            askFor(record.capability.audience)
        }
        for (id, revokers) in revokers {
            guard let chain = state.capabilities[id]?.chain else { continue }
            for revoker in revokers where !revoker.reaches(chain) {
                state.voidParts.append(VoidPart(entry: revoker.ending.entry, capability: id, reason: .notDescendant))
            }
        }
        for ownership in state.ownerships { askFor(ownership.account) }
        findParticipants()
        state.promotions = promotions.sorted { $0.order < $1.order }.map(\.promotion)
        state.deletion = deletions.min { ResolutionOrder($0) < ResolutionOrder($1) }?.hash
        if let entry = currentPublicAccess, case .publicAccess(let access) = entry.body {
            state.publicAccess = access
            state.publicAccessEntry = entry.hash
        }
        state.voidParts = Set(state.voidParts).sorted {
            if $0.entry != $1.entry { return $0.entry < $1.entry }
            // One capability may be void in an operation for two reasons, as one that it hands on and one that it ends.
            return $0.capability == $1.capability ? $0.reason.code < $1.reason.code : $0.capability < $1.capability
        }
        state.unknownAccounts = unknownAccounts.sorted()
    }

    private mutating func askFor(_ account: AccountID) {
        // Any device will do: the account is known or not.
        guard directory.standing(of: .zero, in: account) == .unknownAccount else { return }
        unknownAccounts.insert(account)
    }

    private mutating func findParticipants() {
        let live = state.capabilities.filter { $0.value.status == .live }
        for (account, group) in Dictionary(grouping: live, by: { $0.value.capability.audience }) {
            let ordered = group.sorted { left, right in
                let (leftRights, rightRights) = (left.value.capability.rights, right.value.capability.rights)
                if leftRights.level != rightRights.level { return leftRights.level > rightRights.level }
                if leftRights.canDelegate != rightRights.canDelegate { return leftRights.canDelegate }
                return left.key < right.key
            }
            guard let best = ordered.first else { continue }
            state.participants[account] = Participant(
                rights: best.value.capability.rights,
                via: best.key,
                since: best.value.since,
                capabilities: ordered.map(\.key)
            )
        }
    }

    /// The operation on public access that none follows; of several an owner's, then the last in order.
    private var currentPublicAccess: ControlEntry? {
        // One of each log is left as a rule, the last. Of a dishonest author, whose later operations have seen less, more
        // are; and what follows an operation of another log need not be its log's last.
        let candidates = Dictionary(grouping: publicEntries, by: \.log).values.flatMap(\.lastOfLog)
        let last = candidates.filter { entry in !publicEntries.contains { entry.precedes($0) } }
        let owners = last.filter { state.ownership(with: $0.right) != nil }
        return (owners.isEmpty ? last : owners).max { ResolutionOrder($0) < ResolutionOrder($1) }
    }
}
