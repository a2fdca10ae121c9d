import Capabilities
import Identity
import Records
import Sync
import Wire

extension Scenario {
    /// A control log full of unknown operations.
    static let controlFlood = Scenario(
        name: "control-flood",
        summary:
            "a member fills the control log with unknown kinds, beyond its bound; it is revoked, others are admitted; an"
            + " honest one whose log is full leaves",
        shape: { options, random in
            options.shapeForRights(&random)
            options.accountCount = 3
            options.nodeCount = 4
            options.controlBounds = ControlBudget.Bounds(
                rulersCount: 256,
                membersCount: History.floodedLogCount,
                byteCount: 1 << 20
            )
        },
        script: { history in
            history.judge.evidence.rights.controlBound = ControlBound(ofRulers: 256, ofOthers: History.floodedLogCount)
            try history.flooded()
        }
    )
}

extension History {
    /// The number of operations of a member's control log that are effective while one is flooded.
    fileprivate static let floodedLogCount: UInt64 = 96

    /// Floods a control log, and checks that everything else still works.
    fileprivate func flooded() throws {
        let zone = try openSharedZone(random.chance(0.5) ? .read : .write)
        let accounts = simulation.accounts.map(\.id)
        guard let liar = devices(of: accounts[1]).first, let honest = devices(of: accounts[2]).first else { return }
        markLiars(of: accounts[1])
        try flood(zone, by: liar, count: 120 + random.index(below: 80))
        try writeEverywhere(zone, times: 1)
        try leaveWithFullLog(zone, honest)
        try expelSurely(accounts[1], from: zone)
        sharing.grant(Rights(.admin), Caveats(), in: zone, to: accounts[2], on: nodes[0])
        try flood(zone, by: liar, count: 20)
        try settle()
        try requireAdmin(accounts[2], in: zone)
        try requireBounded(zone)
        try requireQuiet()
        try finish()
    }

    /// Lets an honest member fill its log as far as it may, and leave.
    private func leaveWithFullLog(_ zone: ZoneID, _ node: SimulatedNode) throws {
        func violation(_ text: String) -> Violation {
            Violation(.ended, at: node, text)
        }
        node.decide("fill") { committer, _, transaction in
            for number in 0..<Self.floodedLogCount {
                let body = ControlBody.unknown(tag: 200, bytes: [UInt8(truncatingIfNeeded: number)])
                do {
                    _ = try ControlStatements(committer).say(body, zone: zone, in: &transaction)
                } catch ReplicaError.controlLogFull {
                    return CommitNotice(number: try transaction.nextCommitNumber())
                }
            }
            throw violation("a member's control log has no bound")
        } completion: { result in
            if case .failure(let error as Violation) = result { throw error }
        }
        node.decide("leave") { committer, _, transaction in
            try ZoneSharing(committer).leave(zone, in: &transaction)
        } completion: { result in
            guard case .failure(ReplicaError.controlLogFull) = result else { return }
            throw violation("a member whose control log is full cannot leave")
        }
        try wait(10_000)
    }

    /// Requires that no honest member announces more of a control log than is effective.
    private func requireBounded(_ zone: ZoneID) throws {
        for node in members {
            guard !judge.evidence.byzantine.contains(node.device), let store = node.store else { continue }
            for position in try ZonePositions(of: zone).all(in: store) where position.row.key.lane == .control {
                guard position.row.role.present != .owner, position.size > Self.floodedLogCount else { continue }
                let text = "\(position.size) operations of \(position.row.key) are announced, more than are effective"
                throw Violation(.ended, at: node, text)
            }
        }
    }

    /// Fills a zone's control log.
    func flood(_ zone: ZoneID, by liar: SimulatedNode, count: Int) throws {
        for number in 0..<count {
            liar.lie(.unknown(tag: 200 + UInt64(number % 3), bytes: random.bytes(8)), in: zone)
            if number.isMultiple(of: 20) { try wait(200) }
        }
        try wait(10_000)
    }

    /// Requires that every honest member regards an account as an administrator.
    fileprivate func requireAdmin(_ account: AccountID, in zone: ZoneID) throws {
        for node in members {
            guard let look = StoreLook(at: node), let state = try look.controlState?(zone) else { continue }
            guard state.participants[account]?.rights.level == .admin else {
                throw look.violation(.ended, "an account that was admitted after a flood does not participate here")
            }
        }
    }
}
