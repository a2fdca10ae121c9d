import Wire

/// Applies operations of one zone within one transaction.
struct ZoneApplier {
    var logs: ZoneLogs
    private(set) var applied = AppliedOperations()
    private var workspace: RecordWorkspace
    /// Operations that storage holds as pending and that were applied here.
    private var drained: [(key: LogKey, dot: Dot, behind: OperationState?)] = []
    /// Operations that were applied and are outside of their authors' rights.
    private var void: Set<Dot> = []
    private var newest = HybridTime.zero
    /// The checkpoints that some device states which stands, as they were stored when the first one had to give way.
    private var standing: Set<Hash>?
    /// Such checkpoints in operations that were applied here, and may not be stored yet.
    private var stated: Set<Hash> = []
    private let keyring: EpochKeyring

    init(_ logs: ZoneLogs, _ keyring: EpochKeyring) {
        self.logs = logs
        self.keyring = keyring
        workspace = RecordWorkspace(logs)
    }

    // MARK: A run that is ready

    /// Applies the items of a verified run that is not stored yet.
    mutating func apply(
        _ run: VerifiedRun,
        of row: LogRow,
        limit: UInt64,
        in transaction: some ReplicaTransaction
    ) throws {
        assert(row.appliedSize == run.from, "a run is applied behind the operations that are applied")
        var tags: Set<RecordTag> = []
        for (first, item) in run.items where first < limit {
            if case .record(let operation, _) = item { tags.insert(operation.header.tag) }
        }
        try workspace.load(tags, in: transaction)
        for (first, item) in run.items where first < limit {
            try apply(item, of: row, in: transaction)
        }
    }

    /// The items of a run as they are to be stored; call when nothing more will be applied.
    /// - Parameters:
    ///   - run: The run.
    ///   - row: Its log.
    ///   - isPending: True when the run was not applied.
    /// - Returns: One item for each of the run's.
    func storedItems(_ run: VerifiedRun, of row: LogRow, isPending: Bool) -> [StoredItem] {
        let limit = logs.recordLimit(row)
        return run.items.map { first, item in
            let dot = Dot(actor: run.key.actor, counter: first &+ 1)
            let state = first < limit ? self.state(of: dot, in: run.key.lane) : logs.stateBehind(row, first: first)
            return StoredItem(actor: run.key.actor, first: first, item: item, state: isPending ? .pending : state)
        }
    }

    private mutating func apply(
        _ item: VerifiedItem,
        of row: LogRow,
        in transaction: some ReplicaTransaction
    ) throws {
        switch item {
        case .record(let operation, let clear):
            let header = operation.header
            switch try logs.reading(operation, clear, in: row, keyring) {
            case .opened(let opened) where logs.allows(header, opened.body, in: row):
                workspace.apply(operation, opened, actor: row.key.actor)
            case .locked where logs.allows(header, nil, in: row):
                workspace.apply(operation, nil, actor: row.key.actor)
            case .opened(let opened):
                isVoid(header, logs.isWithinRight(header, opened.body, in: row) ? .outOfSchema : .outOfRight, in: row)
            case .locked: isVoid(header, .outOfRight, in: row)
            case .unsound: isVoid(header, .unsound, in: row)
            }
            newest = max(newest, operation.header.time)
            applied.appliedCount &+= 1
        case .control(let operation, let body):
            let role = row.role.role(at: operation.header.counter)
            try control(body, as: role, stands: row.role == .owner, in: transaction)
            newest = max(newest, operation.header.time)
            applied.appliedCount &+= 1
        case .gap:
            break
        }
    }

    private mutating func isVoid(_ header: OperationHeader, _ reason: AppliedOperations.Void.Reason, in row: LogRow) {
        void.insert(Dot(actor: row.key.actor, counter: header.counter))
        switch row.role {
        case .owner, .participant:
            applied.void[AppliedOperations.Void(device: row.device, reason: reason), default: 0] &+= 1
        // Its author may have had a right that is over, or one that is not known here any more.
        case .unknown, .ended: break
        }
    }

    // MARK: Pending operations

    /// Applies the stored operations that no longer wait, in all logs of a lane.
    ///
    /// Operations that wait for one another are applied together: otherwise two authors who each claim to have seen the
    /// other's next operation would block one another for ever.
    mutating func drain(_ lane: Lane, in transaction: inout some ReplicaTransaction) throws {
        while try drainOnce(lane, in: &transaction) {}
    }

    private mutating func drainOnce(_ lane: Lane, in transaction: inout some ReplicaTransaction) throws -> Bool {
        let reach = try WaitingHeads(logs, lane, in: transaction).reach()
        var hasMoved = false
        for var row in logs.sorted(lane) {
            let start = row.appliedSize
            guard let end = reach[row.key], end > start else { continue }
            assert(end <= row.heldSize, "no operation is applied that is not held")
            try applyStored(row, upTo: end, in: transaction)
            row.appliedSize = end
            hasMoved = true
            if !row.isCut(at: start) {
                try StoredLog(row).thinHeads(
                    above: start > 0 ? start &- 1 : 0,
                    applied: row.appliedSize,
                    in: &transaction
                )
            }
            logs[row.key] = row
            try transaction.save(row)
        }
        return hasMoved
    }

    private mutating func applyStored(_ row: LogRow, upTo size: UInt64, in transaction: some ReplicaTransaction) throws
    {
        let limit = logs.recordLimit(row)
        let isWaiting = try isQuarantined(row, in: transaction)
        var from = row.appliedSize
        while from < size {
            let to = min(size, from &+ UInt64(ReplicaLimits.pageRowCount))
            let items = try transaction.items(row.key, from: from, to: to)
            try workspace.load(Set(items.compactMap(\.tag)), in: transaction)
            for item in items {
                guard case .operation(let stored) = item.content else { continue }
                if item.first < limit {
                    try apply(try stored.verified(row.key.lane), of: row, in: transaction)
                    drained.append((row.key, stored.dot, nil))
                } else {
                    let state = isWaiting ? .quarantined : logs.stateBehind(row, first: item.first)
                    drained.append((row.key, stored.dot, state))
                }
            }
            from = to
        }
    }

    /// Whether the last applied operation of a log waits to be restated.
    ///
    /// The later operations then wait as well, since operations are restated in the log's order.
    private func isQuarantined(_ row: LogRow, in transaction: some ReplicaTransaction) throws -> Bool {
        guard row.appliedSize > logs.recordLimit(row) else { return false }
        let last = try transaction.items(row.key, from: row.appliedSize &- 1, to: row.appliedSize).last
        guard case .operation(let stored) = last?.content else { return false }
        return stored.state == .quarantined
    }

    // MARK: Control operations

    private mutating func control(
        _ body: ControlBody,
        as role: LogRole,
        stands: Bool,
        in transaction: some ReplicaTransaction
    ) throws {
        applied.hasControlChanges = true
        guard role == .owner else { return }
        let standing = try stands ? standingCheckpoints(with: body, in: transaction) : nil
        logs.zone.apply(body, stands: stands, standing: standing)
    }

    /// The checkpoints that some device states which stands, with that of an operation, if it is one; they are read
    /// once.
    private mutating func standingCheckpoints(
        with body: ControlBody,
        in transaction: some ReplicaTransaction
    ) throws -> Set<Hash>? {
        guard case .checkpoint(let checkpoint) = body else { return nil }
        stated.insert(checkpoint.hash)
        if standing == nil { standing = try logs.standingCheckpoints(for: body, in: transaction) }
        return standing?.union(stated)
    }

    /// The state of an operation that was applied here.
    ///
    /// An actor counts each of its lanes from one, so that an operation of either has the same dot: only those on records can
    /// be void, or superseded.
    private func state(of dot: Dot, in lane: Lane) -> OperationState {
        switch lane {
        case .control: .live
        case .data: void.contains(dot) ? .void : workspace.state(of: dot)
        }
    }

    // MARK: The end

    /// Writes the decisions.
    ///
    /// The run's own items must be stored by then.
    mutating func finish(
        wallMilliseconds: UInt64,
        in transaction: inout some ReplicaTransaction
    ) throws -> AppliedOperations {
        try workspace.mergeAll(in: transaction)
        var changes = drained.map { key, dot, behind in
            StateChange(key: key, counter: dot.counter, state: behind ?? state(of: dot, in: key.lane))
        }
        changes += workspace.changesOfStored(lane: .data)
        assert(!changes.contains { $0.state == .pending }, "an operation that was applied waits no longer")
        if !changes.isEmpty { try transaction.setStates(changes) }
        applied.changed = try workspace.save(bySync: true, in: &transaction)
        if applied.hasControlChanges { try transaction.save(logs.zone) }
        if newest > .zero {
            var clock = try transaction.clock()
            clock.observe(newest, wallMilliseconds: wallMilliseconds)
            try transaction.save(clock)
        }
        applied.hasCoveredCheckpoint = logs.zone.candidates.contains { logs.covers($0) }
        return applied
    }
}

extension StoredItem {
    /// A verified item with the state it is to be stored in.
    fileprivate init(actor: ActorID, first: UInt64, item: VerifiedItem, state: OperationState) {
        let content: Content =
            switch item {
            case .record(let operation, let body):
                .operation(
                    StoredOperation(
                        actor: actor,
                        operation: operation,
                        state: state,
                        isTombstone: body?.isDeleted ?? operation.isTombstone
                    )
                )
            case .control(let operation, _):
                .operation(StoredOperation(actor: actor, operation: operation, state: state, isTombstone: false))
            case .gap(let gap): .gap(gap)
            }
        self.init(first: first, content: content)
    }

    /// The record's tag, if the item is an operation.
    fileprivate var tag: RecordTag? {
        if case .operation(let stored) = content { return stored.operation.header.tag }
        return nil
    }
}

extension StoredOperation {
    /// The operation with its body decoded again, unless it is sealed; it was verified before it was stored.
    func verified(_ lane: Lane) throws -> VerifiedItem {
        guard lane == .control else {
            return .record(operation, operation.header.epoch.isZero ? try operation.clearBody() : nil)
        }
        do {
            return .control(operation, try ControlBody(decoding: operation.body))
        } catch {
            throw ReplicaError.damaged("a stored control operation cannot be decoded: \(error)")
        }
    }
}
