import Wire

// One more transfer in a log that is resolved already.
extension ControlResolution {
    /// Whether one more transfer ends the ownership under which it is written.
    /// - Returns: `nil` if another one did, and this one goes before it: then the zone has had another owner since.
    /// - Complexity: O(log n); O(operations under the right) where its device was added before the device of the one
    ///   that did.
    mutating func ends(_ entry: ControlEntry, _ ownership: Ownership) -> Bool? {
        guard isCandidate(entry, under: ownership) else { return false }
        guard let end = ownership.end else { return true }
        let said = entries[ownership.right]
        comparedCount &+= 1
        guard let winner = said.entry(at: end.place, end.entry) else { return nil }
        if winner.precedes(entry) { return false }
        if entry.precedes(winner) { return nil }
        if goesBefore(winner, entry, under: ownership) { return false }
        var others: UInt64 = 0
        let isLate = said.contains { other in
            others += 1
            return isCandidate(other, under: ownership) && other.precedes(entry)
        }
        comparedCount &+= others
        return isLate ? false : nil
    }

    /// Ends the present ownership by a transfer, under whose successor nothing has been written yet.
    ///
    /// No device stands then. So no checkpoint raises a cut any more, and no ending is confirmed; the operations that
    /// an ending keeps effective do not depend on that as long as no correction stood.
    /// - Returns: False if an effective operation that had an effect becomes ineffective, or where a correction stood.
    /// - Complexity: O(logs · log n) if a checkpoint raised cuts, and O(rights that ended); else O(logs under the ownership · log n).
    mutating func passOn(
        by entry: ControlEntry,
        _ transfer: OwnershipTransfer,
        under ownership: Ownership
    ) -> Bool {
        // The last one has not ended, and no other.
        guard ownership.right == state.ownership.right, !rightsWithVainTransfers.contains(ownership.right),
            !state.raises.keys.contains(where: { state.isCorrected($0) })
        else { return false }
        let ending = Ending(entry, cuts: transfer.cuts, isConfirmed: false)
        state.ownerships[state.ownerships.count - 1].end = ending
        state.ownerships.append(Ownership(account: transfer.newOwner, right: entry.hash, end: nil))
        let raised = state.watermarks
        state.watermarks = [:]
        guard cutBack(ownership.right) else { return false }
        if !raised.isEmpty {
            for right in entries.rights where right != ownership.right {
                guard cutBack(right, below: raised), leavesStand(under: right) else { return false }
            }
        }
        loseConfirmations()
        take(entry, account: ownership.account, record: nil)
        state.holders.insert(transfer.newOwner)
        noteAsked(transfer.newOwner)
        concludeOffer()
        return true
    }

    /// Withdraws the confirmation of all endings: no standing device has ended anything.
    private mutating func loseConfirmations() {
        let confirmed = state.capabilities.filter { $0.value.revocations.contains(where: \.isConfirmed) }.map(\.key)
        for id in confirmed {
            guard let count = state.capabilities[id]?.revocations.count else { continue }
            for index in 0..<count { state.capabilities[id]?.revocations[index].loseConfirmation() }
            concludeStatus(of: id)
        }
        let named = revokers.filter { $0.value.contains(where: \.ending.isConfirmed) }.map(\.key)
        for id in named {
            guard let count = revokers[id]?.count else { continue }
            for index in 0..<count { revokers[id]?[index].ending.loseConfirmation() }
        }
    }
}
