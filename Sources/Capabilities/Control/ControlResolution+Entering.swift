import Identity
import Wire

// One more operation in a log that is resolved already.
extension ControlResolution {
    /// Builds the indexes of ``enter(_:)``, once everything is resolved.
    mutating func index() {
        for entry in entries.all {
            noteCut(entry)
            if state.capabilities[entry.right] != nil, !entry.carried.isEmpty { hasHandedOn = true }
        }
    }

    /// Puts an operation in its place.
    /// - Returns: False for one that is there already.
    mutating func keep(_ entry: ControlEntry) -> Bool {
        guard state.verdicts[entry.hash] == nil else { return false }
        return entries.insert(entry)
    }

    /// Decides one more operation, which is in its place, and its consequences, if that is possible without deciding
    /// everything again.
    ///
    /// It is possible for all operations without an effect on rights, for grants of capabilities under which nothing
    /// was written yet, for revocations after which all operations under the ended capabilities stand, for transfers
    /// of the present ownership and leaves likewise, for corrections that make no operation effective which has an
    /// effect, for checkpoints that nothing waits for, for statements about removed devices that change no cut, and
    /// for all void operations.
    /// - Returns: False if everything has to be decided again; the results here are of no use then.
    /// - Complexity: O(log n), and the items that the operation itself names.
    mutating func enter(_ entry: ControlEntry) -> Bool {
        // Operations are written under the right that this entry would make.
        if entries.isAmbiguous || entries.hasAny(under: entry.hash) { return false }
        let partCount = state.voidParts.count
        if let ownership = state.ownership(with: entry.right) {
            guard enter(entry, under: ownership) else { return false }
        } else if let record = state.capabilities[entry.right] {
            if !entry.carried.isEmpty { hasHandedOn = true }
            switch entry.body {
            case .leave(let leave): return enterLeave(entry, leave, under: record)
            case .deviceCuts(let body):
                let account = record.capability.audience
                guard isWithinStatements(entry, body, under: entry.right, of: account) else { return false }
            default: break
            }
            let verdict = speaks(entry.device, for: record.capability.audience)
            if verdict != .counts {
                state.verdicts[entry.hash] = verdict
            } else if cut(of: entry).admits(entry.place.counter) {
                take(entry, account: record.capability.audience, record: record)
                guard follow(entry) else { return false }
            } else {
                state.verdicts[entry.hash] = .void(.aboveCut)
            }
        } else {
            state.verdicts[entry.hash] = isVoid(entry.right) ? .void(.rightVoid) : .waiting(.capability(entry.right))
        }
        noteCut(entry)
        guard entry.carried.allSatisfy({ updateStatus(of: $0, by: entry, partsFrom: partCount) }) else { return false }
        sortParts(from: partCount)
        return true
    }

    private mutating func enter(_ entry: ControlEntry, under ownership: Ownership) -> Bool {
        switch entry.body {
        // They decide the zone's owner, or the cuts.
        case .deviceCuts(let body):
            guard isWithinStatements(entry, body, under: ownership.right, of: ownership.account) else { return false }
        case .transfer(let transfer) where !state.isPair:
            if noteConsent(entry, under: ownership) { noteAsked(transfer.newOwner) }
            guard let isEnd = ends(entry, ownership) else { return false }
            if isEnd { return passOn(by: entry, transfer, under: ownership) }
        case .leave where state.isPair: return false
        default: break
        }
        guard cut(of: entry).admits(entry.place.counter) else {
            state.verdicts[entry.hash] = verdict(above: entry, under: ownership)
            return true
        }
        guard decideOwner(entry, account: ownership.account) else { return true }
        // An account that has left a pair zone is back with this operation.
        if state.isPair, !ownership.isHeld, !ownership.hasEnded { return false }
        if case .checkpoint(let checkpoint) = entry.body {
            if hasHandedOn { return false }
            for position in entry.inView(checkpoint.logs) where cutLogs.contains(position.key) { return false }
            _ = raise(by: entry)
            checkpoints.sort { ResolutionOrder($0) < ResolutionOrder($1) }
        }
        if case .raiseCut(let raise) = entry.body, !correct(by: entry, raise) { return false }
        take(entry, account: ownership.account, record: nil)
        return follow(entry)
    }

    /// Applies the consequences of an effective operation; an ineffective one has none.
    private mutating func follow(_ entry: ControlEntry) -> Bool {
        guard state.verdicts[entry.hash] == .counts else { return true }
        switch entry.body {
        case .revoke(let revocation):
            guard let revoker = revocation.capabilities.first.flatMap({ revokers[$0]?.last }) else { return true }
            return revocation.capabilities.allSatisfy { end($0, by: revoker) }
        case .publicAccess: concludePublicAccess()
        case .zoneDeletion: concludeDeletion()
        case .schema: concludePromotions()
        case .transferOffer, .transferAnswer: concludeOffer()
        case .genesis, .checkpoint, .grant, .transfer, .leave, .raiseCut, .epoch, .delivery, .epochAgain, .deviceCuts,
            .keyRequest, .unknown:
            break
        }
        return true
    }

    // MARK: Grants

    /// Updates the status of a capability that one more operation carries.
    private mutating func updateStatus(of carried: CarriedCapability, by entry: ControlEntry, partsFrom: Int) -> Bool {
        let id = carried.id
        guard let carriers = grants[id] else {
            let old = state.ungranted[id]
            noteUngranted(id, by: entry, state.voidParts[partsFrom...].filter { $0.capability == id })
            // Operations under it may be void now, or wait; and the operation's own right may derive from it, in a
            // circle.
            if !entries.hasAny(under: id) { return true }
            return state.verdicts[entry.hash] != .void(.rightVoid)
                && old.map(\.isWaiting) == state.ungranted[id]?.isWaiting
        }
        guard carriers.last?.entry.hash == entry.hash else { return true }
        guard carriers.count == 1 else {
            // Granted again: that changes nothing, unless it was first, or an account comes back by it.
            guard let record = state.capabilities[id], !returns(by: entry, record),
                let first = carriers.map(\.entry).min(by: { ResolutionOrder($0) < ResolutionOrder($1) })
            else { return false }
            return first.hash == record.since
        }
        guard let audience = carried.verified?.capability.audience, !entries.hasAny(under: id),
            state.ungranted[id] == nil
        else { return false }
        record(id)
        concludeStatus(of: id)
        guard let record = state.capabilities[id] else { return false }
        for revoker in revokers[id] ?? [] where !revoker.reaches(record.chain) {
            state.voidParts.append(VoidPart(entry: revoker.ending.entry, capability: id, reason: .notDescendant))
        }
        noteAsked(audience)
        if record.status == .live {
            findParticipant(audience, (state.participants[audience]?.capabilities ?? []) + [id])
        }
        return true
    }

    /// Notes that an account's log is asked.
    mutating func noteAsked(_ account: AccountID) {
        askFor(account)
        let unknown = unknownAccounts.sorted()
        if state.unknownAccounts != unknown { state.unknownAccounts = unknown }
    }

    // MARK: Endings

    /// Ends a capability with its descendants.
    private mutating func end(_ id: Hash, by revoker: Revoker) -> Bool {
        guard let chain = state.capabilities[id]?.chain else { return true }
        guard revoker.reaches(chain) else {
            state.voidParts.append(VoidPart(entry: revoker.ending.entry, capability: id, reason: .notDescendant))
            return true
        }
        var queue = [id]
        while let next = queue.popLast() {
            queue += state.children[next] ?? []
            // The revocations determine which statements about removed devices hold.
            guard let old = state.capabilities[next], state.deviceCuts[next] == nil else { return false }
            // By the same revocation, of an ancestor.
            if old.revocations.contains(where: { $0.entry == revoker.ending.entry }) { continue }
            state.capabilities[next]?.revocations = (old.revocations + [revoker.ending]).uniqueByEntry
            concludeStatus(of: next)
            guard cutBack(next, from: old.revocations + old.leaves), leavesStand(under: next) else { return false }
            let audience = old.capability.audience
            if old.status == .live {
                findParticipant(audience, (state.participants[audience]?.capabilities ?? []).filter { $0 != next })
            }
        }
        return true
    }

    /// Voids the operations above the cuts of the logs under a right, which have become stricter.
    ///
    /// The operation that ended an ownership stands above the cut that it makes. For leaves, ``leavesStand(under:)``
    /// decides.
    /// - Parameters:
    ///   - right: The right.
    ///   - endings: The operations that had ended the right before; nil if none had voided operations above a cut.
    ///   - limits: The effective size of each log before; other logs are as they were. Nil if any may be cut shorter.
    /// - Returns: False if that had an effect.
    /// - Complexity: O(logs · (log n + endings)), and O(operations that become void).
    mutating func cutBack(
        _ right: Hash,
        from endings: [Ending]? = nil,
        below limits: [ActorLane: LogPosition]? = nil
    ) -> Bool {
        guard let account = state.account(of: right) else { return true }
        let entries = self.entries[right]
        let end = state.ownership(with: right)?.end?.entry
        for log in entries.logs {
            guard let last = log.last else { continue }
            var index = log.endIndex
            if let limits {
                guard let limit = limits[last.log] else { continue }
                index = log.place(behind: limit.size)
            } else if let endings {
                switch cut(of: last, by: endings) {
                case .none: break
                case .at(let size, _): index = log.place(behind: size)
                case .zero, .waiting: continue
                }
            }
            let cut = cut(of: last)
            while index > log.startIndex, !cut.admits(entries[index - 1].place.counter) {
                index -= 1
                let entry = entries[index]
                if entry.hash == end || state.verdicts[entry.hash] == .void(.aboveCut) { continue }
                if case .leave = entry.body, state.verdicts[entry.hash] == .counts { continue }
                guard speaks(entry.device, for: account) == .counts else { continue }
                guard !entry.body.rules, !self.entries.hasAny(under: entry.hash) else { return false }
                state.verdicts[entry.hash] = .void(.aboveCut)
                noteCut(entry)
            }
        }
        return true
    }

    // MARK: Notes

    private func isVoid(_ right: Hash) -> Bool {
        if case .void = state.ungranted[right] { return true }
        if case .void = state.verdicts[right] { return true }
        return false
    }

    mutating func noteCut(_ entry: ControlEntry) {
        if state.verdicts[entry.hash] == .void(.aboveCut) { cutLogs.insert(entry.log) }
    }

    /// Puts the parts that were found last in their places.
    private mutating func sortParts(from count: Int) {
        guard state.voidParts.count > count else { return }
        let new = state.voidParts[count...]
        state.voidParts.removeSubrange(count...)
        for part in new {
            let index = state.voidParts.partitioningIndex { $0 < part }
            if index < state.voidParts.count, state.voidParts[index] == part { continue }
            state.voidParts.insert(part, at: index)
        }
    }
}

extension ControlBody {
    /// Whether it has consequences when it is effective.
    var rules: Bool {
        switch self {
        case .genesis, .epoch, .delivery, .epochAgain, .keyRequest, .unknown: false
        case .checkpoint, .zoneDeletion, .grant, .revoke, .transfer, .leave, .raiseCut, .publicAccess, .schema,
            .deviceCuts, .transferOffer, .transferAnswer:
            true
        }
    }
}
