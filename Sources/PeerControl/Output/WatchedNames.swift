import KairanClient

/// The names that events are shown with: those of the beginning, and asked for anew when an event names something that
/// was not known then.
struct WatchedNames {
    /// The style with the names that are known now.
    private(set) var style: Style
    /// The ids that were asked for in vain, so that no event asks for them again.
    private var unknown: Set<String> = []
    private var wanted: Set<String> = []
    /// The last time at which names were asked for because of an event.
    private var renewed: ContinuousClock.Instant?
    /// The least time between two requests for names: many zones may come at once, and all names are asked for.
    private static let pause = Duration.seconds(2)

    /// Begins with the names that are known.
    init(style: Style) { self.style = style }

    /// Takes note of an event before it is shown.
    /// - Parameters:
    ///   - event: The event.
    ///   - now: The time.
    /// - Returns: Whether the names have to be asked for, because the event names something new, and they were not
    ///   asked for just now.
    mutating func note(_ event: DaemonEvent, at now: ContinuousClock.Instant = .now) -> Bool {
        switch event.kind {
        case .snapshot(let zones): want(zones: zones.map(\.zone))
        case .zone(let change): want(zones: change.isDeleted ? [] : [change.zone.zone])
        case .peer(let peer): want(device: peer.device)
        case .sync(let report): want(device: report.peer, zones: [report.zone].compactMap(\.self))
        case .quarantine(let zone), .transfer(let zone): want(zones: [zone])
        case .asset(let change): want(zones: [change.zone])
        case .anomaly(let anomaly): want(zones: [anomaly.zone].compactMap(\.self))
        default: want()
        }
        if let renewed, now < renewed + Self.pause { return false }
        return !wanted.isEmpty
    }

    private mutating func want(device: String? = nil, zones: [String] = []) {
        wanted = Set(zones.filter { !style.zones.contains($0) })
        if let device, !style.devices.contains(device) { wanted.insert(device) }
        wanted.subtract(unknown)
    }

    /// Stores the names that were fetched.
    mutating func renew(_ style: Style, at now: ContinuousClock.Instant = .now) {
        renewed = now
        self.style = style
        unknown.formUnion(wanted)
        wanted = []
    }
}
