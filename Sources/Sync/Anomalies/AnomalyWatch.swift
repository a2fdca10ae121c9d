import Wire

/// Groups anomalies, so that a peer that sends any number of them fills neither the stream of events nor the log.
///
/// The first one of a kind from a device in a zone is reported at once; those that follow are counted, and reported
/// together when ``interval`` has passed. The memory is bounded: a device has ``devicePlaceCountMax`` places, and all
/// together have ``placeCountMax``. An anomaly that finds no place any more is counted without its zone, or in the
/// end without the device.
package struct AnomalyWatch: Sendable {
    /// A group of anomalies that are counted together.
    private struct Place: Hashable {
        var kind: Anomaly.Kind
        var peer: DeviceID?
        var zone: ZoneID?
    }

    private struct Entry {
        /// The anomalies counted since the last report.
        var waiting: Anomaly?
        /// The time at which they are reported, or the place is free again.
        var due: UInt64
    }

    /// The time for which further ones are counted, in milliseconds.
    package static let interval: UInt64 = 60_000
    /// Places of one device, besides one for each kind that counts those without a place.
    package static let devicePlaceCountMax = 16
    /// Places of all devices, besides one for each kind that counts those without a place.
    package static let placeCountMax = 256

    private var entries: [Place: Entry] = [:]

    /// Begins with none.
    package init() {}

    /// The time at which ``due(at:)`` has something to do.
    package var nextDue: UInt64? { entries.values.map(\.due).min() }

    /// The number of places taken.
    package var placeCount: Int { entries.count }

    /// Something was found.
    /// - Parameters:
    ///   - anomaly: The anomaly.
    ///   - now: The monotonic clock, in milliseconds.
    /// - Returns: The anomaly to report at once; `nil` while it is counted.
    package mutating func found(_ anomaly: Anomaly, at now: UInt64) -> Anomaly? {
        let place = place(of: anomaly)
        var placed = anomaly
        (placed.peer, placed.zone) = (place.peer, place.zone)
        if place.peer == nil { placed.account = nil }
        guard let entry = entries[place] else {
            entries[place] = Entry(due: now &+ Self.interval)
            assert(
                entries.count <= Self.placeCountMax + Anomaly.Kind.allCases.count,
                "beyond the limit there is one more place for each kind"
            )
            return placed
        }
        entries[place]?.waiting = entry.waiting?.and(placed) ?? placed
        return nil
    }

    /// Time passed.
    /// - Parameter now: The monotonic clock, in milliseconds.
    /// - Returns: The anomalies to report, in the order of kind, device and zone.
    package mutating func due(at now: UInt64) -> [Anomaly] {
        var told: [Anomaly] = []
        for (place, entry) in entries where entry.due <= now {
            if let waiting = entry.waiting {
                told.append(waiting)
                entries[place] = Entry(due: now &+ Self.interval)
            } else {
                entries[place] = nil
            }
        }
        return told.sorted { $0.order < $1.order }
    }

    private func place(of anomaly: Anomaly) -> Place {
        let exact = Place(kind: anomaly.kind, peer: anomaly.peer, zone: anomaly.zone)
        if entries[exact] != nil { return exact }
        var place = exact
        if let peer = anomaly.peer, entries.keys.count(where: { $0.peer == peer }) >= Self.devicePlaceCountMax {
            place.zone = nil
        }
        if entries[place] == nil, entries.count >= Self.placeCountMax { (place.peer, place.zone) = (nil, nil) }
        return place
    }
}

extension Anomaly {
    /// Returns the two together, without the properties in which they differ.
    fileprivate func and(_ later: Anomaly) -> Anomaly {
        var both = self
        let (count, isOverflow) = count.addingReportingOverflow(later.count)
        both.count = isOverflow ? .max : count
        if later.author != author { both.author = nil }
        if later.account != account { both.account = nil }
        return both
    }

    fileprivate var order: String { "\(kind.rawValue) \(peer?.text ?? "") \(zone?.text ?? "")" }
}
