import Records
import Sync
import Wire

/// Which events beside the feed's own a watcher is told.
///
/// Whether a zone is the watcher's is decided by the zone's container, which never changes; so what was found once holds, unless
/// the watcher asked for one database. Nobody is told of zones that are the node's own business.
struct EventFilter: Sendable {
    /// What the watcher reads.
    private let view: FeedView
    /// Whether it sees everything that there is.
    private let isEverything: Bool
    private var isVisible: [ZoneID: Bool] = [:]

    /// Zones that are remembered; then it begins anew.
    private static let rememberedCountMax = 256

    init(view: FeedView, isEverything: Bool) {
        self.view = view
        self.isEverything = isEverything
    }

    /// The zone whose row must be learnt before the event can be judged.
    func unknownZone(of event: NodeEvent) -> ZoneID? {
        let zone: ZoneID? =
            switch event {
            case .sync(let sync): sync.zone
            case .quarantine(let zone): zone
            case .transfer(let zone): isEverything ? zone : nil
            case .anomaly(let anomaly): isEverything && !isUnfiltered ? anomaly.zone : nil
            case .snapshot, .change, .zone, .peer, .end: nil
            }
        guard let zone, view.zone == nil || view.zone == zone else { return nil }
        return isVisible[zone] == nil || view.place != nil ? zone : nil
    }

    /// Remembers whether a zone is in the view.
    mutating func learn(_ row: ZoneRow, place: ZonePlace) {
        if isVisible.count >= Self.rememberedCountMax { isVisible = [:] }
        isVisible[row.id] = view.mayShow(row) && (view.place == nil || view.shows(place))
    }

    /// Whether the watcher is told an event.
    func passes(_ event: NodeEvent) -> Bool {
        switch event {
        case .snapshot, .change, .zone, .end:
            // Made for this watcher.
            true
        case .peer:
            isEverything
        case .quarantine(let zone):
            isVisible[zone] ?? isUnfiltered
        case .transfer(let zone):
            // Who decides about zones is no application.
            isEverything && isVisible[zone] ?? isUnfiltered
        case .anomaly(let anomaly):
            // It is about devices, of which an application hears nothing; and about the node's own zones as well as others.
            isUnfiltered || isEverything && (anomaly.zone.map { isVisible[$0] ?? false } ?? true)
        case .sync(let sync):
            // What is said of no zone, or of one that is not known here, is for whoever sees everything.
            sync.zone.map { isVisible[$0] ?? isUnfiltered } ?? isEverything
        }
    }

    private var isUnfiltered: Bool {
        isEverything && view.zone == nil && view.container == nil && view.place == nil
    }
}
