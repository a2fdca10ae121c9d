extension SyncEngine {
    /// The events that the application receives.
    public enum Event: Sendable {
        /// The state to store, together with the changes from earlier events.
        case stateUpdate(State)
        /// The daemon belongs to another account than before; `previous` is `nil` the first time.
        case accountChange(previous: String?, current: String)
        /// Zones appeared or changed, or went with all of their records, each for a reason.
        ///
        /// Changes that were still to be sent to a zone that went follow as failed, with the codes `zone.deleted`, `zone.left` or
        /// `zone.moved`. They are kept until they are removed, and sent if the zone comes back.
        case fetchedDatabaseChanges(changed: [Zone], removed: [ZoneDeparture])
        /// Changes of a zone will follow.
        case willFetchRecordZoneChanges(zone: String)
        /// Others changed records, or this application on another device did. The application's own saves are not among
        /// them.
        case fetchedRecordZoneChanges(zone: String, changes: [Change])
        /// All available changes of a zone have been delivered.
        case didFetchRecordZoneChanges(zone: String)
        /// The position in a zone's changes is lost, for example because the daemon's store was restored. All its
        /// records follow; the application's records that do not come until ``didFetchRecordZoneChanges(zone:)`` are
        /// gone.
        case tokenExpired(zone: String)
        /// Changes of a zone could not be fetched, and will be tried again.
        case fetchFailed(zone: String?, problem: Problem)
        /// The pending changes that are done, with the current records, and the changes that were refused for good.
        case sentRecordZoneChanges(saved: [Record], deleted: [RecordID], failed: [FailedChange])
        /// The pending changes of zones that are done, with the present zones and the ids of the deleted ones, and
        /// the changes that were refused for good.
        ///
        /// Records that the application knows by the name of a zone that was to be made have this zone's id from now on.
        case sentDatabaseChanges(saved: [Zone], deleted: [String], failed: [FailedZoneChange])
        /// Pending changes of records that will not be sent, since the application has deleted their zone, or has withdrawn that
        /// it be made.
        case droppedRecordZoneChanges([PendingChange])
    }
}

/// An application, as its sync engine sees it.
///
/// Calls come one after the other, and the engine does nothing else meanwhile: when the method returns, the
/// application has handled the event.
public protocol SyncEngineDelegate: Sendable {
    /// Something happened.
    func handle(_ event: SyncEngine.Event, from engine: SyncEngine) async

    /// Returns the content to save for a record with a pending change.
    /// - Returns: The content; `nil` if there is nothing to save any more.
    func draft(of id: RecordID, for engine: SyncEngine) async -> SyncEngine.Draft?

    /// Decides about a record that others have changed since it was read.
    func resolve(_ conflict: SyncEngine.Conflict, for engine: SyncEngine) async -> SyncEngine.Resolution
}

extension SyncEngineDelegate {
    /// Merges the application's changes on top of those of the others; deletes a record only if no other writer has
    /// changed it.
    public func resolve(_ conflict: SyncEngine.Conflict, for engine: SyncEngine) async -> SyncEngine.Resolution {
        conflict.merged.map { .save($0) } ?? .keepServer
    }
}
