import Records
import Sync
import Wire

/// Which events a watcher is told.
///
/// Whether a zone is the watcher's is decided by the zone's container, which never changes; so what was found once holds.
/// Nobody is told of zones that are the node's own business.
struct EventFilter: Sendable {
    /// The only zone of which it hears; `nil` = all of its scope.
    let zone: ZoneID?
    private let scope: ZoneScope
    private var isVisible: [ZoneID: Bool] = [:]

    init(zone: ZoneID?, scope: ZoneScope) {
        self.zone = zone
        self.scope = scope
    }

    /// The zone whose row must be learnt before the event can be judged.
    func unknownZone(of event: NodeEvent) -> ZoneID? {
        let zone: ZoneID? =
            switch event {
            case .sync(let sync): sync.zone
            case .quarantine(let zone): zone
            case .snapshot, .change, .zone, .peer, .end: nil
            }
        return zone.flatMap { isVisible[$0] == nil ? $0 : nil }
    }

    /// Remembers whether a zone is in the scope.
    mutating func learn(_ row: ZoneRow?) {
        guard let row else { return }
        isVisible[row.id] = !row.isInternal && scope.contains(container: row.genesis.container)
    }

    /// Whether the watcher is told an event.
    func passes(_ event: NodeEvent) -> Bool {
        switch event {
        case .snapshot, .change, .end:
            // Made for this watcher.
            true
        case .zone(let status, _):
            (zone == nil || status.zone == zone) && scope.contains(container: status.container)
                && !ZoneGenesis.isReserved(container: status.container)
        case .peer:
            scope.isEverything
        case .quarantine(let concerned):
            (zone == nil || concerned == zone) && isVisible[concerned] ?? scope.isEverything
        case .sync(let sync):
            // What is said of no zone, or of one that is not known here, is for whoever sees everything.
            (zone == nil || sync.zone == zone) && sync.zone.flatMap { isVisible[$0] } ?? scope.isEverything
        }
    }
}
