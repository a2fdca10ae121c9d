import Identity
import Wire

extension ControlResolution {
    /// Follows the transfers from the first owner on.
    ///
    /// A transfer requires the consent of the account that it names. Of an ownership's transfers none is effective
    /// that another one precedes; of concurrent ones the one by the device that its account added first is effective,
    /// then the one with the smaller hash. A device that was removed transfers up to its account's cut, whatever
    /// checkpoints say.
    mutating func findOwnerships() {
        var rights: Set<Hash> = [.zero]
        noteDeviceCuts(under: state.ownership.right, of: state.ownership.account)
        while let winner = nextTransfer(), case .transfer(let transfer) = winner.body,
            rights.insert(winner.hash).inserted
        {
            let ending = Ending(winner, cuts: transfer.cuts, isConfirmed: false)
            state.ownerships[state.ownerships.count - 1].end = ending
            state.ownerships.append(Ownership(account: transfer.newOwner, right: winner.hash, end: nil))
            noteDeviceCuts(under: winner.hash, of: transfer.newOwner)
        }
        for ownership in state.ownerships {
            for entry in entries[ownership.right] { noteConsent(entry, under: ownership) }
        }
    }

    private mutating func nextTransfer() -> ControlEntry? {
        let ownership = state.ownership
        let candidates = entries[ownership.right].filter { isCandidate($0, under: ownership) }
        return firstEnd(of: ownership, among: candidates)
    }

    /// Of the operations that would end an ownership, the one that does.
    mutating func firstEnd(of ownership: Ownership, among candidates: [ControlEntry]) -> ControlEntry? {
        candidates.firstOnes(&comparedCount).min { goesBefore($0, $1, under: ownership) }
    }

    /// Whether an operation that would end an ownership is considered: its device may speak, and its account's cut
    /// reaches it, regardless of checkpoints.
    func isHeard(_ entry: ControlEntry, under ownership: Ownership) -> Bool {
        guard speaks(entry.device, for: ownership.account) == .counts else { return false }
        let cut = state.deviceCut(
            of: entry.log,
            device: entry.device,
            under: ownership.right,
            account: ownership.account,
            directory: directory
        )
        return EffectiveCut(cut).admits(entry.place.counter)
    }

    /// Whether the first of two ends of an ownership is effective, neither of which another one precedes.
    func goesBefore(_ left: ControlEntry, _ right: ControlEntry, under ownership: Ownership) -> Bool {
        let (leftPlace, rightPlace) = (addedAt(left, ownership.account), addedAt(right, ownership.account))
        return leftPlace == rightPlace ? left.hash < right.hash : leftPlace < rightPlace
    }

    private func addedAt(_ entry: ControlEntry, _ account: AccountID) -> Int {
        switch directory.standing(of: entry.device, in: account) {
        case .active(_, let place), .removed(_, let place): place
        case .unknownAccount, .unknownDevice: .max
        }
    }

    /// An owner's log with its operations that are not decided yet.
    private struct OwnerLog {
        let right: Hash
        let account: AccountID
        var rest: ArraySlice<ControlEntry>
    }

    /// Decides the owners' operations: the least set that contains every operation under its log's cut, where
    /// checkpoints and corrections in the set raise cuts.
    ///
    /// Logs that stand are not cut and come first: the corrections of a right follow from them. Then, whenever an
    /// operation becomes effective that raises another log's cut, that other log is looked at again. Because cuts are
    /// only raised, the order of looking does not matter.
    mutating func countOwners() {
        var logs = ownerLogs()
        let standing = Set(logs.indices.filter { logs[$0].rest.first.map(stands) ?? false })
        var waiting = logs.indices.filter { !standing.contains($0) } + standing
        var places: [ActorLane: [Int]] = [:]
        for (index, log) in logs.enumerated() {
            guard let first = log.rest.first else { continue }
            places[first.log, default: []].append(index)
        }
        var counted: [(entry: ControlEntry, account: AccountID)] = []
        while let index = waiting.popLast() {
            guard let first = logs[index].rest.first else { continue }
            let cut = state.cut(of: first.log, device: first.device, under: logs[index].right, directory: directory)
            while let entry = logs[index].rest.first, cut.admits(entry.place.counter) {
                logs[index].rest = logs[index].rest.dropFirst()
                guard decideOwner(entry, account: logs[index].account) else { continue }
                counted.append((entry, logs[index].account))
                let raised = raise(by: entry).flatMap { places[$0] ?? [] }
                // A log may name itself. Those that do not stand are all looked at after those that do.
                if !standing.contains(index) { waiting.append(contentsOf: raised) }
            }
        }
        refuseRest(of: logs, counted: &counted)
        checkpoints.sort { ResolutionOrder($0) < ResolutionOrder($1) }
        for right in state.raises.keys {
            state.raises[right]?.sort { $0.entry < $1.entry }
        }
        for (entry, account) in counted {
            take(entry, account: account, record: nil)
        }
    }

    private func ownerLogs() -> [OwnerLog] {
        state.ownerships.flatMap { ownership in
            // By device too: an actor that two devices claim is none.
            entries[ownership.right].logsByDevice.map {
                OwnerLog(right: ownership.right, account: ownership.account, rest: $0)
            }
        }
    }

    /// Decides an owner's operation that no cut stops.
    /// - Returns: Whether it is effective.
    mutating func decideOwner(_ entry: ControlEntry, account: AccountID) -> Bool {
        let verdict = speaks(entry.device, for: account)
        guard verdict == .counts else {
            state.verdicts[entry.hash] = verdict
            return false
        }
        if state.isPair { return decidePairOwner(entry) }
        switch entry.body {
        case .leave: state.verdicts[entry.hash] = .void(.ownerLeaves)
        case .transfer(let transfer) where transfer.newOwner == account:
            state.verdicts[entry.hash] = .void(.alreadyOwner)
        case .transfer:
            let ownership = state.ownership(with: entry.right)
            let consent = ownership.map { self.consent(to: entry, under: $0) } ?? .counts
            guard consent == .counts else {
                state.verdicts[entry.hash] = consent
                return false
            }
            let end = ownership?.end
            guard end?.entry == entry.hash else {
                if end == nil { rightsWithVainTransfers.insert(entry.right) }
                state.verdicts[entry.hash] = .void(.lostTransfer(to: end?.entry ?? .zero))
                return false
            }
            return true
        default: return true
        }
        return false
    }

    /// Notes the sizes that an owner's effective operation makes final or corrects.
    ///
    /// The operations of logs that stand come before all others.
    /// - Returns: The control logs that may be effective further now.
    mutating func raise(by entry: ControlEntry) -> [ActorLane] {
        switch entry.body {
        case .checkpoint(let checkpoint):
            checkpoints.append(entry)
            let positions = entry.inView(checkpoint.logs)
            for position in positions where position.lane == .control {
                settled[position.key] = max(settled[position.key] ?? 0, position.size)
            }
            guard stands(entry) else { return [] }
            for position in positions {
                state.watermarks[position.key] = LogPosition.further(state.watermarks[position.key], position)
            }
            return positions.map(\.key)
        case .raiseCut(let raise):
            let stands = stands(entry)
            if !stands, state.isCorrected(raise.capability) { return [] }
            let cuts = entry.inView(raise.cuts)
            state.raises[raise.capability, default: []].append(
                Raise(entry: entry.hash, place: entry.place, seen: entry.seen, cuts: cuts, stands: stands)
            )
            return cuts.map(\.key)
        default: return []
        }
    }

    /// Refuses the operations above their logs' cuts, except for the transfer that made the cut, which stands.
    private mutating func refuseRest(
        of logs: [OwnerLog],
        counted: inout [(entry: ControlEntry, account: AccountID)]
    ) {
        for log in logs {
            let end = state.ownership(with: log.right)?.end
            for entry in log.rest {
                if entry.hash == end?.entry {
                    counted.append((entry, log.account))
                    continue
                }
                let verdict = speaks(entry.device, for: log.account)
                if case .waiting(.account(let account)) = verdict { unknownAccounts.insert(account) }
                state.verdicts[entry.hash] =
                    state.ownership(with: log.right).map { self.verdict(above: entry, under: $0) } ?? verdict
            }
        }
    }

    // MARK: Consent

    /// Whether a transfer may end the ownership that it is written under: it is to another account, which has
    /// consented, its device may speak for the owner, and its account's cut reaches it.
    func isCandidate(_ entry: ControlEntry, under ownership: Ownership) -> Bool {
        guard case .transfer(let transfer) = entry.body, transfer.newOwner != ownership.account else { return false }
        return isHeard(entry, under: ownership) && consent(to: entry, under: ownership) == .counts
    }

    /// Whether the account that a transfer to another account names has consented to own the zone after an ownership.
    ///
    /// A device that the account knows with the role full has signed the consent. Its later removal makes no
    /// difference; otherwise a removal would undo a transfer.
    /// - Returns: `.counts` for an operation that is no transfer to another account.
    func consent(to entry: ControlEntry, under ownership: Ownership) -> EntryVerdict {
        guard case .transfer(let transfer) = entry.body, transfer.newOwner != ownership.account else {
            return .counts
        }
        guard let consent = entry.consent, isAbout(consent, ownership) else { return .void(.noConsent) }
        let verdict = speaks(consent.device, for: transfer.newOwner)
        if case .void = verdict { return .void(.noConsent) }
        return verdict
    }

    /// Whether a consent makes its account the owner of the zone after an ownership.
    func isConsent(_ consent: TransferConsent, after ownership: Ownership) -> Bool {
        isAbout(consent, ownership) && speaks(consent.device, for: consent.account) == .counts
    }

    private func isAbout(_ consent: TransferConsent, _ ownership: Ownership) -> Bool {
        consent.zone == state.zone && consent.ownership == ownership.right
    }

    /// Returns the verdict on an owner's operation above the cut of its log.
    func verdict(above entry: ControlEntry, under ownership: Ownership) -> EntryVerdict {
        let verdict = speaks(entry.device, for: ownership.account)
        guard verdict == .counts else { return verdict }
        // Once the account is known it may be the transfer that made the cut.
        if !state.isPair, case .waiting(let reason) = consent(to: entry, under: ownership) { return .waiting(reason) }
        return .void(.aboveCut)
    }

    /// Notes the account whose log is needed to judge a transfer's consent.
    /// - Returns: Whether one is.
    @discardableResult mutating func noteConsent(_ entry: ControlEntry, under ownership: Ownership) -> Bool {
        guard case .transfer(let transfer) = entry.body, transfer.newOwner != ownership.account,
            let consent = entry.consent, isAbout(consent, ownership),
            speaks(entry.device, for: ownership.account) == .counts
        else { return false }
        state.candidates.insert(transfer.newOwner)
        return true
    }
}
