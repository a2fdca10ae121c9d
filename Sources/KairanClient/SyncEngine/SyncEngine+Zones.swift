extension SyncEngine {
    /// Makes a zone, or finds the one that has the name.
    func saveZone(_ name: String, _ history: PendingZoneChange.History) async throws {
        do {
            let zone: Zone
            do {
                zone = try await container.client.createZone(
                    name: name,
                    container: container.name,
                    history: DaemonClient.History(history)
                )
            } catch let error as KairanError where error.code == "zone.exists" {
                // It was there before, or it was made and the answer got lost.
                guard let found = try await ownZone(name) else { throw error }
                zone = found
            }
            notice { [zone] in $0.savedZone(zone) }
        } catch let error as KairanError {
            notice { $0.zoneChangeFailed(error.problem, at: EngineClock.now, retryAfter: error.retryAfter) }
        }
    }

    /// Deletes a zone of the container.
    ///
    /// It is looked for first: the daemon takes a name too, and might know a zone of that name in another container.
    func deleteZone(_ key: String) async throws {
        do {
            let zones = try await container.zoneDescriptions()
            let byName = zones.first { $0.isOwn && $0.name.isSameName(as: key) }
            let found = zones.first { $0.zone == key } ?? byName
            if let zone = found {
                do {
                    try await container.client.deleteZone(zone.zone)
                } catch let error as KairanError where error.departure != nil {
                    // Another program created it first.
                }
            }
            notice { $0.deletedZone(found?.zone) }
        } catch let error as KairanError {
            notice { $0.zoneChangeFailed(error.problem, at: EngineClock.now, retryAfter: error.retryAfter) }
        }
    }

    private func ownZone(_ name: String) async throws -> Zone? {
        try await container.zoneDescriptions().first { $0.isOwn && $0.name.isSameName(as: name) }
    }
}

extension DaemonClient.History {
    fileprivate init(_ history: SyncEngine.PendingZoneChange.History) {
        self =
            switch history {
            case .full: .full
            case .fromJoin: .fromJoin
            }
    }
}
