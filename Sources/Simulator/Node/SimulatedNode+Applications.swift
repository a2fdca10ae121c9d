import Identity
package import Records
package import Sync
package import Wire

// The requests of applications to a node.
extension SimulatedNode {
    /// Submits writes.
    ///
    /// - Parameters:
    ///   - request: The writes.
    ///   - zone: The zone.
    ///   - completion: Called once, unless the process ends before.
    /// - Returns: The submission; `nil` when no process runs or too many jobs wait.
    /// - Throws: ``Violation``.
    @discardableResult
    package func submit(
        _ request: WriteRequest,
        zone: ZoneID,
        completion: @escaping (Answer) throws -> Void = { _ in }
    ) throws -> Submission? {
        try submit(.write(request, zone: zone), completion: completion) { process, transaction in
            let written = try process.committer().commit([request], zone: zone, in: &transaction)
            return (written.reply, written.notice)
        }
    }

    /// Requests a new zone.
    ///
    /// - Parameters:
    ///   - genesis: The genesis, which determines the zone's id; ``zoneGenesis(_:)`` makes one.
    ///   - completion: Called once, unless the process ends before.
    /// - Returns: The submission; `nil` when no process runs or too many jobs wait.
    /// - Throws: ``Violation``.
    @discardableResult
    package func createZone(
        _ genesis: ZoneGenesis,
        completion: @escaping (Answer) throws -> Void = { _ in }
    ) throws -> Submission? {
        try submit(.createZone(genesis), completion: completion) { process, transaction in
            if try transaction.zone(ZoneID(genesis)) != nil { return (nil, CommitNotice()) }
            return (nil, try ZoneLifecycle(process.committer()).create(genesis, in: &transaction).notice)
        }
    }

    /// Requests the deletion of a zone.
    ///
    /// - Parameters:
    ///   - zone: The zone.
    ///   - completion: Called once, unless the process ends before.
    /// - Returns: The submission; `nil` when no process runs or too many jobs wait.
    /// - Throws: ``Violation``.
    @discardableResult
    package func deleteZone(
        _ zone: ZoneID,
        completion: @escaping (Answer) throws -> Void = { _ in }
    ) throws -> Submission? {
        try submit(.deleteZone(zone), completion: completion) { process, transaction in
            (nil, try ZoneLifecycle(process.committer()).delete(zone, reason: "asked for", in: &transaction))
        }
    }

    /// The genesis of a zone of the account: the default one of a container for 0, else one by name.
    package func zoneGenesis(_ number: Int) -> ZoneGenesis {
        if number == 0 {
            return keyring.defaultZoneGenesis(container: "org.example.notes", name: "default", owner: accountID)
        }
        return ZoneGenesis(
            owner: accountID,
            container: "org.example.notes",
            name: "zone \(number)",
            salt: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: ZoneGenesis.saltByteCount),
            history: zoneHistory(number),
            isDefault: false
        )
    }

    /// The history that newcomers may read in a named zone: the seed determines it, since two machines may make the
    /// zone.
    private func zoneHistory(_ number: Int) -> ZoneHistory {
        guard simulation.options.hasJoinZones,
            let account = simulation.accounts.firstIndex(where: { $0.id == accountID })
        else { return .full }
        var draw = SeededGenerator(seed: simulation.seed ^ UInt64(account) << 40 ^ UInt64(number) << 32)
        return draw.chance(0.5) ? .fromJoin : .full
    }

    private func submit(
        _ body: Submission.Body,
        completion: @escaping (Answer) throws -> Void,
        job: @escaping (NodeProcess, inout MemoryStore) throws -> (Commit?, CommitNotice)
    ) throws -> Submission? {
        guard let process, !process.commits.isFull else { return nil }
        let submission = Submission(
            number: simulation.makeNumber(),
            node: index,
            life: life,
            time: simulation.now,
            body: body
        )
        simulation.statistics.submissions += 1
        simulation.trace.note(.issue, at: simulation.now, node: index, submission.number)
        var outcome: Commit?
        process.commits.enqueue { process, transaction in
            let (commit, notice) = try job(process, &transaction)
            outcome = commit
            return notice
        } completion: { [unowned simulation] result in
            let answer: Answer
            switch result {
            case .success: answer = .done(outcome)
            case .failure(let error): answer = .failed(error)
            }
            simulation.trace.note(.answer, at: simulation.now, node: submission.node, submission.number)
            try simulation.judge.answered(submission, answer, in: simulation)
            try completion(answer)
        }
        return submission
    }

    // MARK: Reading

    /// Reads the change feed.
    ///
    /// - Parameters:
    ///   - view: The view of the feed.
    ///   - token: The token from which to read on; `nil` = from the beginning.
    ///   - limit: The largest number of changes.
    /// - Returns: A page with the changes, and the token from which to read on.
    /// - Throws: ``NodeRefusal``, `StorageError`, ``Violation``.
    package func readFeed(
        _ view: FeedView = FeedView(),
        since token: String?,
        limit: Int = 100
    ) throws -> FeedPage {
        guard let process else { throw NodeRefusal.notRunning }
        let store = try disk.read()
        do {
            var reader = try FeedReader(view, since: token, in: store)
            return try reader.read(limit: limit, by: process.committer(), in: store)
        } catch is FeedTokenExpired {
            throw NodeRefusal.tokenExpired
        }
    }

    // MARK: Devices

    /// Removes a device from the account, with this node's logs of it as its cuts.
    /// - Throws: ``NodeRefusal``, `AccountError`, `StorageError`, ``Violation``.
    package func remove(_ other: DeviceID) throws {
        guard let process else { throw NodeRefusal.notRunning }
        guard other != device, case .active = process.log.state.standing(of: other) else {
            throw NodeRefusal.device
        }
        try process.changeAccount { try $0.remove(other) }
        try process.settle()
    }

    /// Names the account, or one of its devices.
    /// - Throws: `AccountError`, `StorageError`, ``NodeRefusal``, ``Violation``.
    package func name(_ other: DeviceID?, _ name: String) throws {
        guard let process else { throw NodeRefusal.notRunning }
        try process.changeAccount { try $0.name(other, name) }
        try process.settle()
    }

    /// Lets another machine's device in, and writes the account log to its disk, as pairing finally does.
    ///
    /// - Parameter newcomer: A machine whose process does not run.
    /// - Throws: ``NodeRefusal``, `AccountError`, `StorageError`, ``Violation``.
    package func admit(_ newcomer: SimulatedNode) throws {
        guard let process else { throw NodeRefusal.notRunning }
        guard !newcomer.isRunning else { throw NodeRefusal.device }
        try process.changeAccount { try $0.admit(newcomer.disk.keys.device.certificate) }
        try newcomer.disk.writeDurably(AccountFile.encode(process.log.entries), to: .accountLog)
        try process.settle()
    }
}
