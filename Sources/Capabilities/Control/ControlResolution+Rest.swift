import Wire

extension ControlResolution {
    /// Decides the operations under rights that no effective operation grants.
    ///
    /// Such a right is void if some operation carries it and all that do are void, or if it is the ownership that a
    /// void operation would make; else it is waited for. Operations under a void right are void; those under one that
    /// is waited for wait. The least set of void things that is closed
    /// under this: capabilities that are granted only under one another wait for ever.
    mutating func decideUngranted() {
        var carriers: [Hash: [ControlEntry]] = [:]
        var open: [Hash: Int] = [:]
        for entry in entries.all {
            for carried in entry.carried where grants[carried.id] == nil {
                carriers[carried.id, default: []].append(entry)
                if !isVoid(entry, carrying: carried.id) { open[carried.id, default: 0] += 1 }
            }
        }
        var queue = carriers.keys.filter { open[$0] == nil }
        for (hash, verdict) in state.verdicts {
            if case .void = verdict, entries.hasAny(under: hash) { queue.append(hash) }
        }
        while let id = queue.popLast() {
            for entry in entries[id] where state.verdicts[entry.hash] == nil {
                state.verdicts[entry.hash] = .void(.rightVoid)
                if entries.hasAny(under: entry.hash) { queue.append(entry.hash) }
                for carried in entry.carried {
                    guard let count = open[carried.id] else { continue }
                    open[carried.id] = count - 1
                    if count == 1 { queue.append(carried.id) }
                }
            }
        }
        for entry in entries.all where state.verdicts[entry.hash] == nil {
            state.verdicts[entry.hash] = .waiting(.capability(entry.right))
        }
        let reasons = Dictionary(grouping: state.voidParts, by: \.capability)
        for (id, carriers) in carriers {
            for entry in carriers { noteUngranted(id, by: entry, reasons[id] ?? []) }
        }
    }

    /// Whether an operation certainly does not grant a capability that it carries.
    private func isVoid(_ entry: ControlEntry, carrying id: Hash) -> Bool {
        switch state.verdicts[entry.hash] {
        // An effective operation is void in its part about this capability.
        case .void, .counts: true
        case .waiting, nil: false
        }
    }

    /// Returns the status that one of the operations which carry a capability in vain gives to it.
    /// - Parameters:
    ///   - entry: The operation.
    ///   - voidParts: The ineffective parts of operations, of this one at least.
    /// - Returns: `nil` while the operation is undecided.
    func status(by entry: ControlEntry, voidParts: ArraySlice<VoidPart>) -> CapabilityStatus? {
        switch state.verdicts[entry.hash] {
        case .waiting(let reason): .waiting(reason)
        case .void(let reason): .void(reason)
        case .counts: voidParts.first { $0.entry == entry.hash }.map { .void($0.reason) }
        case nil: nil
        }
    }

    /// Sets the status of a capability that was not granted by the first operation that carries it, or by the first
    /// undecided one if any is undecided.
    mutating func noteUngranted(_ id: Hash, by entry: ControlEntry, _ parts: [VoidPart]) {
        guard let status = status(by: entry, voidParts: parts[...]) else { return }
        let order = ResolutionOrder(entry)
        if let old = ungrantedBy[id], old.isWaiting == status.isWaiting ? old.order < order : old.isWaiting { return }
        ungrantedBy[id] = (order, status.isWaiting)
        if state.ungranted[id] != status { state.ungranted[id] = status }
    }

    /// Combines all effective operations.
    mutating func conclude() {
        for id in state.capabilities.keys {
            concludeStatus(of: id)
            state.capabilities[id].map { askFor($0.capability.audience) }
        }
        for (id, revokers) in revokers {
            guard let chain = state.capabilities[id]?.chain else { continue }
            for revoker in revokers where !revoker.reaches(chain) {
                state.voidParts.append(VoidPart(entry: revoker.ending.entry, capability: id, reason: .notDescendant))
            }
        }
        for ownership in state.ownerships {
            askFor(ownership.account)
            state.holders.insert(ownership.account)
        }
        for account in state.candidates { askFor(account) }
        findParticipants()
        concludeOffer()
        concludePromotions()
        concludeDeletion()
        concludePublicAccess()
        state.voidParts = Set(state.voidParts).sorted(by: <)
        state.unknownAccounts = unknownAccounts.sorted()
    }

    /// Determines the status of a capability, and notes its holder.
    mutating func concludeStatus(of id: Hash) {
        guard let record = state.capabilities[id] else { return }
        let endings = record.revocations + record.leaves
        let status = endings.isEmpty ? CapabilityStatus.live : .ended(by: Set(endings.map(\.entry)).sorted())
        if record.status != status { state.capabilities[id]?.status = status }
        // Ten thousand rights may have ended under which nothing was ever written: no statement on those is needed,
        // and they are not looked at again.
        if endings.contains(where: \.keepsOperations), !endings.contains(where: \.isConfirmed) {
            state.unconfirmed.insert(id)
        } else if state.unconfirmed.contains(id) {
            state.unconfirmed.remove(id)
        }
        let (audience, parent) = (record.capability.audience, record.capability.parent)
        if !state.holders.contains(audience) { state.holders.insert(audience) }
        if !parent.isZero, state.children[parent]?.contains(id) != true {
            state.children[parent, default: []].insert(id)
        }
    }

    mutating func concludePromotions() {
        promotions.sort { $0.order < $1.order }
        state.promotions = promotions.map(\.promotion)
    }

    mutating func concludeDeletion() {
        state.deletion = deletions.min { ResolutionOrder($0) < ResolutionOrder($1) }?.hash
    }

    mutating func concludePublicAccess() {
        guard let entry = publicEntries.current(state.ownerships), case .publicAccess(let access) = entry.body else {
            return
        }
        state.publicAccess = access
        state.publicAccessEntry = entry.hash
    }

    /// Determines the last offer of the zone, and the account's answer to it.
    mutating func concludeOffer() {
        let ownership = state.ownership
        state.lastOffer = state.isPair ? nil : offers.last(under: ownership) { isConsent($0, after: ownership) }
    }

    mutating func askFor(_ account: AccountID) {
        // Any device will do: the account is known or not.
        guard directory.standing(of: .zero, in: account) == .unknownAccount else { return }
        unknownAccounts.insert(account)
    }

    private mutating func findParticipants() {
        let live = state.capabilities.filter { $0.value.status == .live }.keys
        for (account, ids) in Dictionary(grouping: live, by: { state.capabilities[$0]?.capability.audience }) {
            if let account { findParticipant(account, ids) }
        }
    }

    /// Determines the rights of an account.
    /// - Parameters:
    ///   - account: The account.
    ///   - ids: Its capabilities that hold.
    mutating func findParticipant(_ account: AccountID, _ ids: [Hash]) {
        let held = ids.compactMap { id in state.capabilities[id].map { (id: id, record: $0) } }
        let ordered = held.sorted { left, right in
            let (leftRights, rightRights) = (left.record.capability.rights, right.record.capability.rights)
            if leftRights.level != rightRights.level { return leftRights.level > rightRights.level }
            if leftRights.canDelegate != rightRights.canDelegate { return leftRights.canDelegate }
            return left.id < right.id
        }
        state.participants[account] = ordered.first.map { best in
            Participant(
                rights: best.record.capability.rights,
                via: best.id,
                since: best.record.since,
                capabilities: ordered.map(\.id)
            )
        }
    }
}

extension CapabilityStatus {
    /// Whether it cannot be decided yet.
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
