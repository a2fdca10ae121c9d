import Wire

// Zones that two accounts own together. There is no arbiter: neither can take anything from the other, or hand it on.
extension ControlResolution {
    /// Follows each owner's leaves.
    ///
    /// A leave ends the right under which it is written, and its hash is the right by which the account comes back,
    /// if it ever does. Of concurrent leaves under one right one is effective, chosen as among transfers.
    mutating func findStays() {
        var stays: [Ownership] = []
        for first in state.ownerships {
            var stay = first
            var rights: Set<Hash> = [first.right]
            noteDeviceCuts(under: stay.right, of: stay.account)
            while let leave = firstEnd(of: stay, among: leaves(under: stay)),
                case .leave(let body) = leave.body, rights.insert(leave.hash).inserted
            {
                stay.end = Ending(leave, cuts: body.cuts, isConfirmed: false)
                stay.isHeld = false
                stays.append(stay)
                stay = Ownership(account: first.account, right: leave.hash, end: nil, isHeld: false)
                noteDeviceCuts(under: stay.right, of: stay.account)
            }
            stays.append(stay)
        }
        state.ownerships = Ownerships(stays)
    }

    private func leaves(under stay: Ownership) -> [ControlEntry] {
        entries[stay.right].filter { entry in
            if case .leave = entry.body { isHeard(entry, under: stay) } else { false }
        }
    }

    /// Decides an owner's operation that no cut stops.
    /// - Returns: Whether it is effective.
    mutating func decidePairOwner(_ entry: ControlEntry) -> Bool {
        switch entry.body {
        case .leave:
            let end = state.ownership(with: entry.right)?.end
            if end?.entry == entry.hash { return true }
            state.verdicts[entry.hash] = .void(.lostTransfer(to: end?.entry ?? .zero))
        case .grant, .revoke, .transfer, .transferOffer, .raiseCut, .publicAccess, .zoneDeletion:
            state.verdicts[entry.hash] = .void(.pairZone)
        case .genesis, .checkpoint, .schema, .epoch, .delivery, .epochAgain, .deviceCuts, .keyRequest,
            .transferAnswer, .unknown:
            return true
        }
        return false
    }

    /// Restores the accounts that have left, once an operation is effective under the right that their leave has
    /// made.
    mutating func findReturns() {
        for index in state.ownerships.indices where !state.ownerships[index].isHeld {
            let stay = state.ownerships[index]
            guard !stay.hasEnded else { continue }
            state.ownerships[index].isHeld = entries[stay.right].contains {
                state.verdicts[$0.hash] == .counts
            }
        }
    }
}
