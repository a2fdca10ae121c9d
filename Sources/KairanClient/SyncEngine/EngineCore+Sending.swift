extension EngineCore {
    /// A change that was taken to be sent.
    struct BatchItem: Sendable {
        var change: SyncEngine.PendingChange
        /// Of the change when it was taken: one that came later is sent afterwards.
        var generation: UInt64
        var draft: SyncEngine.Draft?

        var write: RecordWrite? {
            switch change {
            case .save(let id): draft?.write(id.name)
            case .delete(let id, let version): .deletion(id.name, ifVersion: version)
            }
        }
    }

    /// A change that was refused since others changed the record.
    struct Clash: Sendable {
        var item: BatchItem
        /// Whether the record was read; then `server` holds it.
        var isLookedUp = false
        var server: Record?
        /// The state that the change names, where the daemon still holds it.
        var ancestor: Record?
        /// Whether it was sent before without an answer.
        var mayBeDone = false
    }

    var hasSomethingToSend: Bool {
        hasZoneChangeToSend || !clashes.isEmpty || !batch.isEmpty
            || state.pending.inOrder.contains { $0.refusal == nil }
    }

    mutating func nextSend(at now: Int64) -> EngineEffect? {
        if let change = nextZoneChange(at: now) { return change }
        failChangesWithoutZone()
        leaveOutBlocked()
        // A record that has changed once more is resolved again: the application should not decide about an outdated
        // change.
        clashes.removeAll { state.pending[$0.item.change.id]?.generation != $0.item.generation }
        if let clash = clashes.first {
            guard clash.isLookedUp else { return .lookUp(clash.item.change.id) }
            return .decide(conflict(clash))
        }
        if batch.isEmpty { takeBatch() }
        if batch.isEmpty { return nil }
        if !isBatchDescribed {
            let unknown = batch.filter { if case .save = $0.change { $0.draft == nil } else { false } }
            if !unknown.isEmpty { return .describe(unknown.map(\.change.id)) }
            isBatchDescribed = true
        }
        // Writes that do not fit into one request stay pending and go with the next one.
        var pieces = WriteBatches(batch.compactMap(\.write), writeCountMax: batchCountLimit)
        guard let zone = batch.first?.change.id.zone, let writes = pieces.next() else { return nil }
        batch.removeLast(batch.count - writes.count)
        return .send(zone: zone, writes)
    }

    /// Takes the oldest change that may be sent, and others of its zone.
    private mutating func takeBatch() {
        var zone: String?
        isBatchDescribed = false
        let blocked = blockedZones
        for entry in state.pending.inOrder where entry.refusal == nil {
            let id = entry.change.id
            if !blocked.isEmpty, blocked.contains(Name(id.zone)) { continue }
            if zone == nil { zone = id.zone }
            guard id.zone == zone else { continue }
            batch.append(BatchItem(change: entry.change, generation: entry.generation, draft: resolved[id]))
            if batch.count == batchCountLimit { return }
        }
    }

    /// Takes in the contents that the application wants to save, in the order of the question.
    package mutating func described(_ drafts: [SyncEngine.Draft?]) {
        var rest = drafts[...]
        var described: [BatchItem] = []
        for var item in batch {
            if case .save = item.change, item.draft == nil {
                // Fewer answers than questions: the others are asked for again.
                guard let draft = rest.popFirst() else { continue }
                guard let draft, !draft.isEmpty else {
                    drop(item)
                    continue
                }
                item.draft = draft
            }
            described.append(item)
        }
        batch = described
        isBatchDescribed = true
    }

    /// Takes in the outcomes of the sent writes, in order.
    package mutating func sent(_ outcomes: [BatchOutcome.Outcome], at now: Int64) {
        let items = batch
        batch = []
        batchCountLimit = min(batchCountLimit * 2, Self.batchCountMax)
        var report = Report()
        var mustWait = false
        for (item, outcome) in zip(items, outcomes) {
            switch outcome {
            case .saved(let record): settle(item, as: record, &report)
            case .refused(let problem) where Self.mayPass(problem):
                mustWait = true
                sendFailure = problem
                if Self.mayBeDone(problem) { uncertain.insert(item.change.id) }
            case .refused(let problem): refused(item, problem, &report)
            }
        }
        // As long as something gets through, waiting does not grow.
        if !mustWait || !report.saved.isEmpty { sendPause.succeed() }
        if mustWait { sendPause.fail(at: now) }
        tell(report)
    }

    /// Handles a request that was refused as a whole, or whose outcome is unknown.
    package mutating func sendFailed(_ problem: Problem, at now: Int64, retryAfter: Int64 = 0) {
        let items = batch
        batch = []
        if Self.mayBeDone(problem) { uncertain.formUnion(items.map(\.change.id)) }
        if Self.mayPass(problem) {
            sendFailure = problem
            sendPause.fail(at: now, atLeast: retryAfter)
        } else if items.count > 1, !Self.concernsAll(problem) {
            // One of them must be the cause: smaller batches find it, and the others go through.
            batchCountLimit = max(1, items.count / 2)
        } else {
            // The list says whether the zone has gone.
            if problem.code.hasPrefix("zone.") { wantZones() }
            var report = Report()
            for item in items { fail(item, problem, &report) }
            tell(report)
        }
    }

    /// Whether the same may succeed later.
    ///
    /// Sending again does no harm, because each write names the version that it changes.
    static func mayPass(_ problem: Problem) -> Bool {
        problem.isRetryable || problem.code == "guest.uncertain"
    }

    /// Whether the outcome of a request is unknown.
    private static func mayBeDone(_ problem: Problem) -> Bool {
        // Problems made by the library have no status; the only certain one says that the daemon cannot be reached.
        problem.status == 0 ? problem.code != "daemon.unreachable" : problem.code == "guest.uncertain"
    }

    private static func concernsAll(_ problem: Problem) -> Bool {
        ["zone.", "right.", "access.", "forbidden", "device.", "guest.", "storage.limit"]
            .contains { problem.code.hasPrefix($0) }
    }

    private mutating func refused(_ item: BatchItem, _ problem: Problem, _ report: inout Report) {
        switch (problem.code, item.change) {
        case ("record.unknown", .delete(let id, _)), ("record.deleted", .delete(let id, _)):
            drop(item)
            report.deleted.append(id)
        case ("record.version_mismatch", _):
            let isUncertain = uncertain.remove(item.change.id) != nil
            clashes.append(Clash(item: item, ancestor: problem.ancestor, mayBeDone: isUncertain))
            // The refusal contains the current record; one that is deleted, or too large for the answer, is fetched.
            if let current = problem.current { clashed(at: clashes.count - 1, current, &report) }
        default: fail(item, problem, &report)
        }
    }

    // MARK: Conflicts

    /// Takes in the current record, which others changed; `nil` when it is deleted.
    package mutating func lookedUp(_ record: Record?) {
        guard !clashes.isEmpty else { return }
        sendPause.succeed()
        var report = Report()
        clashed(at: 0, record, &report)
        tell(report)
    }

    /// Takes in how a record is that others have changed.
    private mutating func clashed(at index: Int, _ record: Record?, _ report: inout Report) {
        clashes[index].isLookedUp = true
        clashes[index].server = record
        let clash = clashes[index]
        let item = clash.item
        switch (item.change, item.draft, record) {
        case (.save, let draft?, let record?) where draft.isFulfilled(by: record, mayBeDone: clash.mayBeDone):
            // It was saved before, and the answer got lost.
            clashes.remove(at: index)
            settle(item, as: record, &report)
        case (.delete(let id, _), _, nil):
            clashes.remove(at: index)
            drop(item)
            report.deleted.append(id)
        default: break
        }
    }

    /// The record could not be read.
    package mutating func lookUpFailed(_ problem: Problem, at now: Int64, retryAfter: Int64 = 0) {
        guard let clash = clashes.first else { return }
        guard !problem.isRetryable else {
            sendFailure = problem
            sendPause.fail(at: now, atLeast: retryAfter)
            return
        }
        clashes.removeFirst()
        var report = Report()
        fail(clash.item, problem, &report)
        tell(report)
    }

    private func conflict(_ clash: Clash) -> SyncEngine.Conflict {
        SyncEngine.Conflict(
            id: clash.item.change.id,
            client: clash.item.draft,
            server: clash.server,
            ancestor: clash.item.draft?.base ?? clash.ancestor,
            mayBeDone: clash.mayBeDone
        )
    }

    /// The application has decided.
    package mutating func decided(_ resolution: SyncEngine.Resolution) {
        guard !clashes.isEmpty else { return }
        let clash = clashes.removeFirst()
        let id = clash.item.change.id
        // The record has changed once more: the newer content is sent instead, based on the record known then.
        guard let entry = state.pending[id], entry.generation == clash.item.generation else { return }
        switch resolution {
        case .keepServer: drop(clash.item)
        case .save(var draft):
            draft.base = clash.server
            resolved[id] = draft
            if case .delete = entry.change {
                state.pending.add(.save(id))
                isStateNews = true
            }
        case .delete:
            resolved[id] = nil
            state.pending.add(.delete(id, ifVersion: clash.server?.version))
            isStateNews = true
        }
    }

    // MARK: The end of a change

    /// The results of a request to report to the application.
    private struct Report {
        var saved: [Record] = []
        var deleted: [RecordID] = []
        var failed: [SyncEngine.FailedChange] = []
    }

    private mutating func tell(_ report: Report) {
        guard !(report.saved.isEmpty && report.deleted.isEmpty && report.failed.isEmpty) else { return }
        tell(.sentRecordZoneChanges(saved: report.saved, deleted: report.deleted, failed: report.failed))
    }

    private mutating func settle(_ item: BatchItem, as record: Record, _ report: inout Report) {
        let id = item.change.id
        state.sent[id] = record.version
        drop(item)
        if record.isDeleted { report.deleted.append(id) } else { report.saved.append(record) }
    }

    /// Ends a change, unless the record has changed once more since.
    private mutating func drop(_ item: BatchItem) {
        let id = item.change.id
        isStateNews = true
        uncertain.remove(id)
        guard state.pending[id]?.generation == item.generation else { return }
        state.pending.remove(id)
        resolved[id] = nil
    }

    /// Fails the changes that were still to be sent to a zone that has gone; they are kept, and sent if the zone
    /// comes back.
    mutating func fail(_ departure: ZoneDeparture) {
        if batch.first?.change.id.zone == departure.zone {
            batch = []
            isBatchDescribed = false
        }
        clashes.removeAll { $0.item.change.id.zone == departure.zone }
        hold(changesOf: departure.zone, departure.problem)
    }

    /// Keeps the changes of a zone's records, and hands them back as failed.
    mutating func hold(changesOf zone: String, _ problem: Problem) {
        var report = Report()
        for entry in Array(state.pending.inOrder)
        where entry.refusal == nil && entry.change.id.zone.isSameName(as: zone) {
            state.pending.hold(entry.change.id, problem)
            resolved[entry.change.id] = nil
            isStateNews = true
            report.failed.append(SyncEngine.FailedChange(change: entry.change, problem: problem))
        }
        tell(report)
    }

    private mutating func fail(_ item: BatchItem, _ problem: Problem, _ report: inout Report) {
        let id = item.change.id
        guard state.pending[id]?.generation == item.generation else { return }
        state.pending.hold(id, problem)
        resolved[id] = nil
        isStateNews = true
        report.failed.append(SyncEngine.FailedChange(change: item.change, problem: problem))
    }
}
