import Capabilities
import Identity
import Records
import Sync
import Wire

// A liar that states positions of the future, amid faults of all kinds.
extension History {
    /// Lets a member state positions of the future, by one of the control operations that it may sign in a zone.
    ///
    /// The judge's model of rights reads the operation as it reads that of an honest member: the operation is effective
    /// as far as its author's right reaches.
    func stateFuture(in zone: ZoneRow, by node: SimulatedNode, _ draw: inout SeededGenerator) throws {
        guard let store = node.store, let process = node.process, let size = draw.element(of: FutureSize.allCases)
        else {
            return
        }
        let rows = try store.logs(zone: zone.id)
        let state = try ZoneViews(process.committer()).controlState(zone.id, in: store)
        let siblings = Set(devices(of: node.accountID).map(\.device))
        let removed = Set(process.log.state.removedDevices.filter { $0 != node.device })
        let statements = FutureStatement.allCases.filter { statement in
            switch statement {
            case .checkpoint: zone.role == .owner
            case .transfer: zone.role == .owner && !state.isPair
            case .raiseCut: zone.role == .owner && rows.contains { state.hasEnded($0.right) }
            case .revocation: zone.role == .owner && rows.contains { state.isHeld($0.right) }
            case .leave: state.isHeld(zone.right)
            case .removal:
                zone.role != .unknown && rows.contains { removed.contains($0.device) && $0.right == zone.right }
            }
        }
        guard let statement = draw.element(of: statements) else { return }
        func positions(where isMoved: (LogRow) -> Bool) throws -> [LogPosition] {
            try node.futurePositions(in: zone.id, size, isOnlyThese: statement != .checkpoint, where: isMoved)
        }
        func right(where isWanted: (Hash) -> Bool) -> Hash? {
            draw.element(of: Set(rows.map(\.right).filter(isWanted)).sorted())
        }
        let body: ControlBody
        switch statement {
        case .checkpoint:
            body = .checkpoint(try node.checkpoint(over: positions { $0.device == node.device }, of: zone.id))
        case .leave:
            body = .leave(Leave(cuts: try positions { siblings.contains($0.device) }))
        case .transfer:
            let others = nodes.filter { $0.accountID != node.accountID && $0.isRunning }
            guard let consent = draw.element(of: others)?.consent(zone.id, after: zone.right) else { return }
            body = .transfer(OwnershipTransfer(consent: consent, cuts: try positions { siblings.contains($0.device) }))
        case .raiseCut:
            guard let ended = right(where: state.hasEnded) else { return }
            body = .raiseCut(CutRaise(capability: ended, cuts: try positions { $0.right == ended }))
        case .revocation:
            guard let held = right(where: state.isHeld) else { return }
            let cuts = try positions { $0.right == held }
            body = .revoke(Revocation(capabilities: [held], cuts: cuts, reason: "a lie"))
        case .removal:
            let cuts = try positions { removed.contains($0.device) && $0.right == zone.right }
            body = .deviceCuts(DeviceCuts(devices: removed.sorted(), cuts: cuts))
        }
        node.lie(body, in: zone.id)
    }
}

extension ControlState {
    /// Whether a right is a capability that holds.
    fileprivate func isHeld(_ right: Hash) -> Bool { status(of: right) == .live }

    /// Whether a right is a capability that has ended.
    fileprivate func hasEnded(_ right: Hash) -> Bool {
        if case .ended = status(of: right) { true } else { false }
    }
}
