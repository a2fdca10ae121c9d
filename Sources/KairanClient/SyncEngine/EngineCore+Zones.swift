extension EngineCore {
    // MARK: Input

    /// The application has changed zones.
    package mutating func add(zones changes: [SyncEngine.PendingZoneChange]) {
        for change in changes {
            state.add(change)
            storable.add(change)
        }
        // A change by the application ends the pause after an earlier refusal.
        zoneChangePause.succeed()
        isStateNews = isStateNews || !changes.isEmpty
    }

    /// The application does not want zones changed any more; a change that is on its way may still be done.
    package mutating func remove(zones: [String]) {
        for zone in zones {
            if case .save? = state.zoneChanges[zone]?.change {
                // They have no zone: sent by its name alone they could reach one of another container.
                for change in dropChanges(of: [zone]) { storable.pending.remove(change.id) }
            }
            state.removeChange(ofZone: zone)
            storable.removeChange(ofZone: zone)
        }
        isStateNews = isStateNews || !zones.isEmpty
    }

    // MARK: Output

    var hasZoneChangeToSend: Bool { state.zoneChanges.entries.contains { $0.refusal == nil } }

    /// The zones whose records must wait for a change of the zone, by id, or by name for a zone that does not exist
    /// yet.
    var blockedZones: Set<Name> {
        var blocked: Set<Name> = []
        for entry in state.zoneChanges.entries where entry.refusal == nil {
            blocked.insert(Name(entry.change.zone))
            if let zone = state.zone(entry.change.zone) { blocked.insert(Name(zone)) }
        }
        return blocked
    }

    mutating func nextZoneChange(at now: Int64) -> EngineEffect? {
        guard zoneChangePause.isOver(at: now) else { return nil }
        guard let entry = state.zoneChanges.entries.first(where: { $0.refusal == nil }) else { return nil }
        zoneChange = entry
        switch entry.change {
        case .save(let name, let history): return .saveZone(name: name, history: history)
        case .delete(let zone): return .deleteZone(state.zone(zone) ?? zone)
        }
    }

    /// Returns the changes of records whose zone could not be created to the application.
    ///
    /// They are never sent by the zone's name: the daemon may know a zone of that name in another container.
    mutating func failChangesWithoutZone() {
        for entry in state.zoneChanges.entries {
            guard let problem = entry.refusal, case .save(let name, _) = entry.change else { continue }
            hold(changesOf: name, problem)
        }
    }

    /// Drops the batch and the clashes of zones that have to be changed first.
    mutating func leaveOutBlocked() {
        let blocked = blockedZones
        if let zone = batch.first?.change.id.zone, blocked.contains(Name(zone)) {
            batch = []
            isBatchDescribed = false
        }
        clashes.removeAll { blocked.contains(Name($0.item.change.id.zone)) }
    }

    // MARK: The end of a change

    /// The zone is there that was to be saved.
    package mutating func savedZone(_ zone: Zone) {
        guard let entry = takeZoneChange(), case .save(let name, _) = entry.change else { return }
        settleZoneChange(entry)
        // If it is to go again, then by the id that it has now.
        for earlier in [name, state.zone(name)].compactMap({ $0 }) where earlier != zone.zone {
            guard case .delete? = state.zoneChanges[earlier]?.change else { continue }
            state.zoneChanges.remove(earlier)
            state.zoneChanges.add(.delete(zone: zone.zone))
        }
        state.name(zone.zone, name)
        for renamed in state.pending.rename(zone: name, to: zone.zone)
        where uncertain.remove(RecordID(zone: name, name: renamed.name)) != nil {
            uncertain.insert(renamed)
        }
        if scope.contains(zone), state.zones[zone.zone] == nil {
            // It is no news that the zone is there.
            state.zones[zone.zone] = SyncEngine.State.KnownZone(zone)
            markDirty(zone.zone)
        }
        tell(.sentDatabaseChanges(saved: [zone], deleted: [], failed: []))
    }

    /// The zone is not there any more that was to be deleted.
    /// - Parameter id: Its id; `nil` where there was none.
    package mutating func deletedZone(_ id: String?) {
        guard let entry = takeZoneChange(), case .delete(let key) = entry.change else { return }
        settleZoneChange(entry)
        let zone = id ?? state.zone(key) ?? key
        tell(.sentDatabaseChanges(saved: [], deleted: [zone], failed: []))
        dropChanges(of: [key, zone])
        forget(zone)
    }

    /// Handles a change of a zone that was refused, or whose outcome is unknown.
    ///
    /// Repeating it does no harm: an existing zone is used, and a missing one is treated as deleted.
    package mutating func zoneChangeFailed(_ problem: Problem, at now: Int64, retryAfter: Int64 = 0) {
        guard let entry = takeZoneChange() else { return }
        if Self.mayPass(problem) {
            sendFailure = problem
            zoneChangePause.fail(at: now, atLeast: retryAfter)
            return
        }
        let zone = entry.change.zone
        guard state.zoneChanges[zone]?.generation == entry.generation else { return }
        state.zoneChanges.hold(zone, problem)
        isStateNews = true
        tell(
            .sentDatabaseChanges(
                saved: [],
                deleted: [],
                failed: [SyncEngine.FailedZoneChange(change: entry.change, problem: problem)]
            )
        )
    }

    private mutating func takeZoneChange() -> PendingZoneChanges.Entry? {
        defer { zoneChange = nil }
        return zoneChange
    }

    /// Ends a change, unless the application has changed the zone once more since.
    private mutating func settleZoneChange(_ entry: PendingZoneChanges.Entry) {
        zoneChangePause.succeed()
        isStateNews = true
        guard state.zoneChanges[entry.change.zone]?.generation == entry.generation else { return }
        state.zoneChanges.remove(entry.change.zone)
    }

    /// Drops the changes of records that have no zone any more, and reports them.
    @discardableResult
    private mutating func dropChanges(of zones: [String]) -> [SyncEngine.PendingChange] {
        let gone = Set(zones.map { Name($0) })
        let dropped = state.pending.inOrder.map(\.change).filter { gone.contains(Name($0.id.zone)) }
        guard !dropped.isEmpty else { return [] }
        for change in dropped {
            state.pending.remove(change.id)
            resolved[change.id] = nil
            uncertain.remove(change.id)
        }
        isStateNews = true
        tell(.droppedRecordZoneChanges(dropped))
        return dropped
    }
}

extension SyncEngine.State {
    /// The id of a zone that this engine made under a name.
    func zone(_ name: String) -> String? { madeZones[name] }

    /// Notes under which name a zone was made.
    mutating func name(_ zone: String, _ name: String) { madeZones[name] = zone }

    /// A record by its zone's id, where that is known.
    func known(_ id: RecordID) -> RecordID { RecordID(zone: zone(id.zone) ?? id.zone, name: id.name) }

    /// Takes a change of a record in.
    mutating func add(_ change: SyncEngine.PendingChange) { pending.add(change.renamed(known(change.id))) }

    /// Takes a change of a zone in.
    mutating func add(_ change: SyncEngine.PendingZoneChange) {
        switch change {
        case .save(let name, _):
            zoneChanges.add(change)
            // The creation of the zone was refused, and with it the contents to save to it.
            pending.release(zone: name)
            // The zone that had the name is about to go: later changes belong to the one that will have it.
            if let zone = zone(name), zoneChanges[zone] != nil { madeZones[name] = nil }
        case .delete(let key):
            let zone = zone(key) ?? key
            zoneChanges.remove(key)
            zoneChanges.add(.delete(zone: zone))
        }
    }

    /// Takes a change of a zone back.
    mutating func removeChange(ofZone key: String) {
        zoneChanges.remove(key)
        if let zone = zone(key) { zoneChanges.remove(zone) }
    }
}
