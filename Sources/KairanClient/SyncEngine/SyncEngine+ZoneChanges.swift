import Synchronization

extension SyncEngine {
    /// A change of the application's to the zones of the container that the daemon has not confirmed yet.
    public enum PendingZoneChange: Sendable, Hashable, Codable {
        /// The creation of a zone of this account, unless it exists.
        ///
        /// An existing zone is used as it is. The id of a new zone is unknown until the zone is made: records that
        /// are saved to it meanwhile have its name in ``RecordID/zone``. From
        /// ``Event/sentDatabaseChanges(saved:deleted:failed:)`` on, the engine names them by the id, and accepts
        /// either.
        case save(name: String, history: History = .full)
        /// The deletion of a zone of the container on all devices: its id, or the name under which this engine made
        /// it.
        case delete(zone: String)

        /// The part of a new zone's past that later devices can read.
        public enum History: String, Sendable, Hashable, Codable {
            /// Everything.
            case full
            /// The records that were there when it joined, and those that followed.
            case fromJoin
        }

        /// The zone's id, or its name while it is not made.
        public var zone: String {
            switch self {
            case .save(let name, _): name
            case .delete(let zone): zone
            }
        }
    }

    /// A pending change of a zone that was refused for good: the engine keeps it, and sends it again only on the
    /// application's request.
    public struct FailedZoneChange: Sendable, Hashable {
        /// The change that was refused.
        public var change: PendingZoneChange
        /// Why.
        public var problem: Problem
    }

    /// The changes of zones that are not confirmed yet, oldest first.
    public var pendingZoneChanges: [PendingZoneChange] {
        shared.withLock { shared in shared.core.storable.zoneChanges.entries.map(\.change) }
    }

    /// The changes of zones that were refused for good, and wait for ``add(zones:)`` or ``remove(zones:)``.
    public var failedZoneChanges: [FailedZoneChange] {
        shared.withLock { shared in
            shared.core.storable.zoneChanges.entries.compactMap { entry in
                entry.refusal.map { FailedZoneChange(change: entry.change, problem: $0) }
            }
        }
    }

    /// Adds changes of zones; the engine sends them in this order, each before the records of its zone.
    ///
    /// A further change of a zone replaces an earlier one, even one that was refused. While a zone is to be deleted,
    /// the changes of its records wait. Once it is deleted, the engine drops them and reports an event; if the
    /// deletion is refused, it sends them.
    public func add(zones changes: [PendingZoneChange]) { notice { $0.add(zones: changes) } }

    /// Withdraws changes of zones, by the zone's id or the name of one that was to be made.
    ///
    /// A change that is on its way may still be done. The engine then drops the changes of the records of a zone that
    /// was to be made, and reports an event.
    public func remove(zones: [String]) { notice { $0.remove(zones: zones) } }
}
