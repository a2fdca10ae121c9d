import Identity
import Records
import Sync
package import Wire

// Checks the runs taken from devices of other accounts, and the uses of invitations.
extension Judge {
    /// Checks that records are taken only from devices with a right to them; from others only deposits of their own.
    package func takes(
        _ run: Run,
        isDeposit: Bool,
        from device: DeviceID,
        of account: AccountID,
        on node: SimulatedNode,
        in simulation: Simulation
    ) throws {
        let head = run.signedHead.head
        guard !byzantine.contains(node.device), head.lane == .data, let store = node.store,
            let row = try store.zone(head.zone), let process = node.process
        else { return }
        checkCount += 1
        let moments = self.moments(of: node, store, in: simulation)
        for moment in moments {
            let model = try rights(in: row, store: moment, accounts: process.accounts, ownDevice: node.device)
            // A right is required: an account that only reads a public zone may send no records of it.
            if model.hasActive(device, of: account), model.mayRead(account, now: node.wallMilliseconds) { return }
            guard isDeposit, head.device == device, model.parties.contains(account) else { continue }
            if model.level(of: node.accountID) == .admin { return }
        }
        throw Violation(
            .taking,
            time: simulation.now,
            node: node.index,
            "a run of \(head.key) is accepted from \(device.shortText) of \(account.shortText), which may not have it"
        )
    }

    /// Checks that an acknowledged deposit is held by the device that decides about it.
    package func deposited(_ run: Run, on node: SimulatedNode, in simulation: Simulation) throws {
        let head = run.signedHead.head
        guard !byzantine.contains(node.device), !byzantine.contains(head.device), let store = node.store,
            let zone = try store.zone(head.zone), zone.state == .live
        else { return }
        checkCount += 1
        switch zone.role {
        case .owner: break
        case .participant(let scope) where scope.level == .admin: break
        default: return
        }
        let row = try store.log(head.key)
        if row?.isForked == true || library.forked.contains(head.key) { return }
        // A run that does not continue the held part was sent before its author learned that it has to make a
        // deposit.
        guard row?.size ?? 0 < head.size, run.from <= row?.size ?? 0 else { return }
        // The author pruned, as one part, operations below and above the place where its log ends here, and no run
        // can begin inside of that part (docs/testing/open.md).
        let end = row?.cut?.size ?? 0
        let isInsideGap = run.items.contains { item in
            guard case .gap(let gap) = item else { return false }
            return gap.firstLeaf < end && end < gap.endLeaf
        }
        if isInsideGap { return }
        throw Violation(
            .deposits,
            time: simulation.now,
            node: node.index,
            "\(head.key) up to \(head.size) was deposited and acknowledged, and \(row?.size ?? 0) are held"
        )
    }

    /// Checks that an invitation lets in no more accounts than it is for.
    func checkUses(_ node: SimulatedNode, _ store: MemoryStore, time: UInt64) throws {
        guard let process = node.process, !setBack.contains(node.device) else { return }
        checkCount += 1
        for status in try Invitations(process.committer()).all(in: store) where !setBack.contains(status.invite.maker) {
            guard status.taken > Int(status.invite.terms.uses) else { continue }
            throw Violation(
                .uses,
                time: time,
                node: node.index,
                "invitation \(status.invite.text) is for \(status.invite.terms.uses) and admitted \(status.taken)"
            )
        }
    }
}
