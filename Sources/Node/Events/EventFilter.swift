import Records
import Sync
import Wire

/// Decides which events beside the feed's own a watcher receives.
///
/// Whether the watcher sees a zone depends on the zone's container, which never changes; so a decision stays valid,
/// unless the watcher asked for one database. No watcher receives events about zones that are the node's own
/// business.
struct EventFilter: Sendable {
    /// The part of the feed that the watcher reads.
    private let view: FeedView
    /// Whether it sees everything that there is.
    private let isEverything: Bool
    private var isVisible: [ZoneID: Bool] = [:]

    /// Zones that are remembered; then it begins again.
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
            case .asset(let asset): asset.zone
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

    /// Whether the watcher receives an event.
    func passes(_ event: NodeEvent) -> Bool {
        switch event {
        case .snapshot, .change, .zone, .end:
            // Made for this watcher.
            true
        case .peer:
            isEverything
        case .quarantine(let zone):
            isVisible[zone] ?? isUnfiltered
        case .asset(let asset):
            isVisible[asset.zone] ?? isUnfiltered
        case .transfer(let zone):
            // An application does not decide about zones.
            isEverything && isVisible[zone] ?? isUnfiltered
        case .anomaly(let anomaly):
            // It is about devices, which applications are not notified of; and about the node's own zones as well as
            // others.
            isUnfiltered || isEverything && (anomaly.zone.map { isVisible[$0] ?? false } ?? true)
        case .sync(let sync):
            // An event without a zone, or with one that is not known here, is for watchers that see everything.
            sync.zone.map { isVisible[$0] ?? isUnfiltered } ?? isEverything
        }
    }

    private var isUnfiltered: Bool {
        isEverything && view.zone == nil && view.container == nil && view.place == nil
    }
}
