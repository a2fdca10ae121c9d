extension EngineCore {
    mutating func nextFetch() -> EngineEffect? {
        guard !dirtyZones.isEmpty else { return nil }
        let zone = dirtyZones.removeFirst()
        // A zone that has gone meanwhile has nothing to fetch.
        guard let known = state.zones[zone] else { return nextFetch() }
        return .fetch(zone: zone, since: known.token)
    }

    /// Returns the known zones that are no longer listed; the reason for their end has to be asked.
    package func missing(from zones: [Zone]) -> [String] {
        let listed = Set(zones.map(\.zone))
        return state.zones.keys.filter { !listed.contains($0) }.sorted()
    }

    /// Takes in the list of zones.
    /// - Parameters:
    ///   - zones: The zones of all visible containers and databases.
    ///   - deleted: The zones of ``missing(from:)`` that were deleted.
    ///   - account: The account, if it is known.
    package mutating func listed(_ zones: [Zone], deleted: Set<String> = [], account: String?) {
        tookZones()
        fetchPause.succeed()
        fetchFailure = nil
        let mine = zones.filter(scope.contains)
        foreignZones = Set(zones.filter { !scope.contains($0) }.map(\.zone))
        if let account = account ?? zones.first(where: \.isOwn)?.owner, account != state.account {
            tell(.accountChange(previous: state.account, current: account))
            state.account = account
            isStateNews = true
        }
        var changed: [Zone] = []
        for zone in mine {
            let earlier = state.zones[zone.zone]
            let known = SyncEngine.State.KnownZone(zone, after: earlier)
            if earlier != known { changed.append(zone) }
            state.zones[zone.zone] = known
            if earlier == nil {
                markDirty(zone.zone)
                // It was unknown when something of it was refused.
                state.pending.release(zone: zone.zone)
            }
        }
        let departures = departures(mine: mine, all: zones, deleted: deleted)
        for departure in departures { forget(departure.zone) }
        if !changed.isEmpty || !departures.isEmpty {
            tell(.fetchedDatabaseChanges(changed: changed, removed: departures))
            isStateNews = true
        }
        for departure in departures { fail(departure) }
        if looksEverywhere {
            looksEverywhere = areZonesOld
            for zone in state.zones.keys.sorted() { markDirty(zone) }
        }
    }

    private func departures(mine: [Zone], all: [Zone], deleted: Set<String>) -> [ZoneDeparture] {
        let present = Set(mine.map(\.zone))
        let elsewhere = Set(all.map(\.zone))
        return state.zones.keys.filter { !present.contains($0) }.sorted().map { zone in
            let reason: ZoneDeparture.Reason =
                elsewhere.contains(zone) ? .moved : deleted.contains(zone) ? .deleted : .left
            return ZoneDeparture(zone: zone, reason: reason)
        }
    }

    mutating func forget(_ zone: String) {
        state.zones[zone] = nil
        state.madeZones = state.madeZones.filter { $0.value != zone }
        state.sent = state.sent.filter { $0.key.zone != zone }
        dirtyZones.removeAll { $0 == zone }
        endTelling(of: zone)
    }

    /// A page of a zone's changes.
    package mutating func fetched(_ page: ChangeSet, zone: String) {
        fetchPause.succeed()
        guard let known = state.zones[zone] else { return }
        let news = page.changes.filter { change in
            let sent = state.sent.removeValue(forKey: RecordID(zone: zone, name: change.record.name))
            if sent != nil { isStateNews = true }
            // After an expired token every record is delivered, because the application regards missing ones as gone.
            return sent != change.record.version || known.isReread
        }
        if !news.isEmpty || known.isReread, toldZone != zone {
            endTelling()
            toldZone = zone
            tell(.willFetchRecordZoneChanges(zone: zone))
        }
        if !news.isEmpty { tell(.fetchedRecordZoneChanges(zone: zone, changes: news)) }
        if known.token != page.token || known.isReread {
            state.zones[zone]?.token = page.token
            isStateNews = true
        }
        if page.more {
            dirtyZones.removeAll { $0 == zone }
            markDirty(zone, first: true)
        } else {
            state.zones[zone]?.isReread = false
            endTelling(of: zone)
        }
    }

    private mutating func endTelling(of zone: String? = nil) {
        guard let told = toldZone, zone == nil || zone == told else { return }
        toldZone = nil
        tell(.didFetchRecordZoneChanges(zone: told))
    }

    /// The zones could not be listed (`zone` is nil), or changes of a zone not be fetched.
    package mutating func fetchFailed(_ problem: Problem, zone: String?, at now: Int64, retryAfter: Int64 = 0) {
        switch (problem.code, zone) {
        case ("token.expired", let zone?) where state.zones[zone]?.token != nil:
            state.zones[zone]?.token = nil
            state.zones[zone]?.isReread = true
            endTelling(of: zone)
            tell(.tokenExpired(zone: zone))
            isStateNews = true
            markDirty(zone, first: true)
            return
        case ("zone.unknown", _?), ("zone.deleted", _?):
            // The list will say whether it is gone; it is asked for after a pause, so that two opinions do no harm.
            wantZones()
        default: fetchFailure = problem
        }
        if let zone { markDirty(zone) }
        fetchPause.fail(at: now, atLeast: retryAfter)
        if !problem.isRetryable { tell(.fetchFailed(zone: zone, problem: problem)) }
    }
}
