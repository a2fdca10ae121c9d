import Identity
import Records
import Sync
import Wire

/// The law that no operation is pruned that a member could still need.
struct ForgettingLaw {
    /// A device that one node meets.
    private struct Meeting: Hashable {
        var node: Int
        var device: DeviceID
    }

    /// The beginning of the last stretch of meetings of a node and a device, and their last meeting.
    private struct MeetingTimes {
        private(set) var first: UInt64
        private(set) var last: UInt64

        /// Records a first meeting.
        init(_ time: UInt64) { (first, last) = (time, time) }

        /// Records a further meeting; after a day without one a new stretch begins.
        mutating func note(_ time: UInt64) {
            if time > last + 86_400_000 { first = time }
            last = time
        }
    }

    private let evidence: Evidence
    /// The times of the last sessions of each node with a device.
    private var meetings: [Meeting: MeetingTimes] = [:]

    init(_ evidence: Evidence) { self.evidence = evidence }

    /// Takes note of the devices with which a node has sessions.
    mutating func met(_ devices: [DeviceID], on node: SimulatedNode) {
        let now = node.simulation.now
        for device in devices {
            meetings[Meeting(node: node.index, device: device), default: MeetingTimes(now)].note(now)
        }
    }

    // MARK: Checkpoints that are made

    /// Checks that a checkpoint covers only operations that every member it waits for holds durably.
    ///
    /// The exception is a range that it must cover because an earlier checkpoint known to its maker does: that one
    /// may have been made before its own maker knew of a member.
    func checkMade(_ checkpoint: Checkpoint, zone: ZoneID, _ commit: ObservedCommit) throws {
        let known = try commit.before.zone(zone)
        let earlier = known?.checkpoints ?? []
        let isShared = !commit.accounts.isEmpty
        try checkHeld(checkpoint, zone: zone, earlier, commit)
        try checkLapsed(checkpoint, commit)
        for device in try awaited(zone, commit)
        where device != commit.device && !checkpoint.lapsed.contains(device)
            && !evidence.disturbedDevices.contains(device) && !evidence.byzantine.contains(device)
        {
            guard let store = evidence.durableStore(of: device) else { continue }
            if case .deleted = try store.zone(zone)?.state { continue }
            // Where accounts other than the owner write, a checkpoint lists control logs up to their last effective
            // operation, on any device.
            for log in checkpoint.logs where log.size > 0 && (log.lane == .data || !isShared) {
                let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
                if evidence.library.forked.contains(key) { continue }
                if earlier.contains(where: { $0.size(key.actorLane) >= log.size }) { continue }
                let row = try store.log(key)
                guard row?.size ?? 0 < log.size, row?.cut == nil else { continue }
                throw commit.violation(
                    .forgetting,
                    "a checkpoint covers \(key) up to \(log.size), but \(device.shortText) holds \(row?.size ?? 0)"
                )
            }
        }
    }

    /// Checks that a checkpoint covers of no log more than its maker holds, or than an earlier checkpoint that it
    /// knew.
    ///
    /// This includes control logs in zones that several accounts write to.
    private func checkHeld(
        _ checkpoint: Checkpoint,
        zone: ZoneID,
        _ earlier: [Checkpoint],
        _ commit: ObservedCommit
    ) throws {
        for log in checkpoint.logs {
            let key = LogKey(zone: zone, actor: log.actor, lane: log.lane)
            guard try commit.after.log(key)?.size ?? 0 < log.size,
                !earlier.contains(where: { $0.size(key.actorLane) >= log.size })
            else { continue }
            throw commit.violation(.forgetting, "a checkpoint covers \(key) up to \(log.size), which its maker lacks")
        }
    }

    /// Checks that a device lapses only when the maker has not met it for 90 days, if the maker's clock and disk were
    /// left alone.
    private func checkLapsed(_ checkpoint: Checkpoint, _ commit: ObservedCommit) throws {
        guard evidence.clockTurned[commit.node] == nil, !evidence.disturbedNodes.contains(commit.node) else { return }
        for device in checkpoint.lapsed {
            guard let met = meetings[Meeting(node: commit.node, device: device)] else { continue }
            let silence = commit.time - met.last
            // A meeting that has just begun may not be recorded yet.
            guard commit.time > met.first + 60_000, silence < DeviceTimes.lapseMilliseconds - 86_400_000 else {
                continue
            }
            throw commit.violation(
                .forgetting,
                "a checkpoint does not wait for \(device.shortText), which its maker met \(silence / 86_400_000) days ago"
            )
        }
    }

    /// The devices that a checkpoint waits for: those of all accounts that may read.
    private func awaited(_ zone: ZoneID, _ commit: ObservedCommit) throws -> [DeviceID] {
        guard !commit.accounts.isEmpty, let row = try commit.before.zone(zone) else {
            return commit.account?.activeDevices ?? []
        }
        let model = try evidence.rights.model(
            in: row,
            store: commit.before,
            accounts: commit.accounts,
            ownDevice: commit.device
        )
        return commit.accounts.states.sorted { $0.key < $1.key }
            .filter { (model.level(of: $0.key) ?? .relay) >= .read }.flatMap(\.value.activeDevices)
    }

    // MARK: Checkpoints that are adopted

    /// Checks that the outcome computed for a zone's checkpoints in a snapshot is the outcome in the store that
    /// adopts it.
    /// - Parameters:
    ///   - zone: The zone.
    ///   - made: The checkpoint that the node made itself.
    ///   - before: The store in which the outcome takes effect.
    ///   - after: The store after that.
    /// - Returns: A description of the difference; `nil` if there is none.
    /// - Throws: Errors of the store.
    func fault(of zone: ZoneID, made: Checkpoint?, before: MemoryStore, after: MemoryStore) throws -> String? {
        guard let old = try before.zone(zone), let new = try after.zone(zone) else { return nil }
        evidence.checkCount += 1
        /// Returns the outcome of a checkpoint if no other one waits.
        func adoption(of checkpoint: Checkpoint) throws -> Adoption {
            var (store, row) = (before, old)
            row.candidates = [checkpoint]
            try store.save(row)
            return try Checkpoints(of: zone).adoption(in: store).adoption
        }
        if let made {
            let previous = old.adopted?.dataSizes ?? VersionVector()
            let live = try LiveSet(zone: zone, sizes: made.dataSizes, previous: previous, in: before)
            guard live.root == made.liveRoot, live.count == made.liveCount else {
                return "a checkpoint is made of a live set that is not the store's"
            }
        }
        if let adopted = new.adopted, adopted != old.adopted {
            return try adoption(of: adopted) == .adopted(adopted)
                ? nil : "a checkpoint is adopted that differs from the store's result"
        }
        if old.isUnverified {
            return try new.isUnverified || Checkpoints(of: zone).adoption(in: before).adoption != .none
                ? nil : "a zone is regarded as complete without a proof in the store"
        }
        let refused = old.candidates.filter { !new.candidates.contains($0) }
        return try refused.allSatisfy { try adoption(of: $0) == .mismatch($0) }
            ? nil : "a checkpoint is refused that matches the store"
    }

    // MARK: Pruned operations

    /// Checks that everything that a store has pruned is superseded, or a settled tombstone, under a checkpoint that
    /// it knows.
    ///
    /// That need not be the adopted checkpoint. A store that was away takes over gaps that peers made under a later
    /// checkpoint, in place of operations that it held, and prunes everything that those had superseded; to adopt the
    /// later one too it must first hold everything that it covers.
    func checkForgotten(zone: ZoneRow, row: LogRow, items: [StoredItem], _ look: StoreLook) throws {
        guard !evidence.library.forked.contains(row.key), !evidence.byzantine.contains(row.device) else { return }
        var known: [Checkpoint]?
        var roles: LogRoles?
        for item in items {
            guard case .gap(let gap) = item.content else { continue }
            // Purged operations lie above the cut.
            if let cut = row.cut, item.first >= cut.size { continue }
            // Or they were above a cut and are effective now; a store with such a hole reports that it lacks them.
            if let hole = row.hole, item.first >= hole { continue }
            let checkpoints = try known ?? zone.checkpoints + look.store.statedCheckpoints(of: zone.id)
            known = checkpoints
            let last = gap.endLeaf
            guard checkpoints.contains(where: { $0.size(row.key.actorLane) >= last }) else {
                throw look.violation(.forgetting, "\(row.key) lacks \(item.first + 1) to \(last) under no checkpoint")
            }
            // A control operation is kept as long as anything depends on it, which is not checked here.
            guard row.key.lane == .data else { continue }
            let authors = try roles ?? LogRoles(in: zone.id, look.store)
            roles = authors
            for counter in item.first + 1...last {
                let place = OperationLibrary.Place(key: row.key, counter: counter)
                guard let reason = reasonToKeep(place, under: checkpoints, authors, look.store) else { continue }
                throw look.violation(.forgetting, "\(place) was pruned: \(reason)")
            }
        }
    }

    /// Whether a store has pruned, under another checkpoint, an operation that must be kept under this one.
    func lacksWhatLives(under checkpoint: Checkpoint, zone: ZoneID, in store: MemoryStore) throws -> Bool {
        let roles = try LogRoles(in: zone, store)
        for row in try store.logs(zone: zone) where row.key.lane == .data {
            for item in try store.items(row.key, from: 0, to: row.size) {
                guard case .gap(let gap) = item.content, gap.firstLeaf < checkpoint.size(row.key.actorLane) else {
                    continue
                }
                for counter in gap.firstLeaf + 1...gap.endLeaf {
                    let place = OperationLibrary.Place(key: row.key, counter: counter)
                    if reasonToKeep(place, under: checkpoint, roles, store) != nil { return true }
                }
            }
        }
        return false
    }

    /// The reason why an operation must not be pruned under any of the checkpoints that cover it;
    /// `nil` when it may be.
    private func reasonToKeep(
        _ place: OperationLibrary.Place,
        under checkpoints: [Checkpoint],
        _ roles: LogRoles,
        _ store: MemoryStore
    ) -> String? {
        var reason: String?
        for checkpoint in checkpoints where checkpoint.size(place.key.actorLane) >= place.counter {
            reason = reasonToKeep(place, under: checkpoint, roles, store)
            if reason == nil { break }
        }
        return reason
    }

    /// The reason why an operation must not be pruned under a checkpoint; `nil` when it may be.
    private func reasonToKeep(
        _ place: OperationLibrary.Place,
        under checkpoint: Checkpoint,
        _ roles: LogRoles,
        _ store: MemoryStore
    ) -> String? {
        let library = evidence.library
        guard let entry = library.entries(at: place).first, let body = entry.body else { return nil }
        let sizes = checkpoint.dataSizes
        let isSuperseded = library.places(zone: place.key.zone, tag: entry.operation.header.tag).contains { other in
            guard other != place, sizes.covers(other.dot) else { return false }
            return library.entries(at: other).contains { entry in
                entry.operation.header.vector.covers(place.dot) && roles.admit(entry, at: other, in: store)
            }
        }
        if isSuperseded { return nil }
        guard body.isDeleted else { return "no operation under the checkpoint supersedes it" }
        let previous = library.checkpoints[checkpoint.previous]?.dataSizes ?? VersionVector()
        guard previous.covers(place.dot) else { return "it is a tombstone that only one checkpoint covers" }
        let isClosed = sizes.covers(entry.operation.header.vector)
        return isClosed ? nil : "it is a tombstone of operations that the checkpoint does not cover"
    }
}

extension ZoneRow {
    /// The checkpoints that a store keeps with a zone, the adopted one first.
    fileprivate var checkpoints: [Checkpoint] { [adopted].compactMap { $0 } + candidates }
}

extension MemoryStore {
    /// The checkpoints that the control logs of a zone state, also those above a cut made since.
    fileprivate func statedCheckpoints(of zone: ZoneID) throws -> [Checkpoint] {
        try logs(zone: zone).filter { $0.key.lane == .control }.flatMap { row in
            try items(row.key, from: 0, to: row.size).compactMap { item in
                guard case .operation(let stored) = item.content,
                    case .checkpoint(let checkpoint)? = try? ControlBody(decoding: stored.operation.body)
                else { return nil }
                return checkpoint
            }
        }
    }
}
