import Wire

/// The assets whose state has changed, until watchers learn of it: of each at most twice a second, and always of its
/// last state.
struct AssetNews: Sendable {
    /// The time between two reports of one asset, in milliseconds.
    static let intervalMilliseconds: UInt64 = 500
    /// The most assets that are reported at once: an import must not fill the queue of a watcher that reads them.
    static let countMax = 256

    /// The assets to report, in the order of their first change.
    private var waiting: [PayloadID] = []
    private var isWaiting: Set<PayloadID> = []
    /// The time of the last report of an asset, while it keeps another one waiting.
    private var reported: [PayloadID: UInt64] = [:]
    /// The time before which nothing is reported, after a round with as many assets as one may have.
    private var pausedUntil: UInt64 = 0

    /// Notes assets whose state has changed.
    mutating func note(_ assets: Set<PayloadID>) {
        for asset in assets.sorted() where isWaiting.insert(asset).inserted { waiting.append(asset) }
    }

    /// Forgets all of them: nothing watches.
    mutating func clear() {
        (waiting, isWaiting, reported) = ([], [], [:])
    }

    /// Takes the assets to report now.
    /// - Parameter now: Milliseconds of the monotonic clock.
    /// - Returns: At most ``countMax`` assets, the one that has waited longest first.
    /// - Complexity: O(assets reported of late), however many wait.
    mutating func take(at now: UInt64) -> [PayloadID] {
        reported = reported.filter { $0.value + Self.intervalMilliseconds > now }
        guard now >= pausedUntil else { return [] }
        var taken: [PayloadID] = []
        var left: [PayloadID] = []
        for asset in waiting {
            if reported[asset] == nil { taken.append(asset) } else { left.append(asset) }
            if taken.count == Self.countMax { break }
        }
        waiting.replaceSubrange(..<(taken.count + left.count), with: left)
        for asset in taken {
            isWaiting.remove(asset)
            reported[asset] = now
        }
        if taken.count == Self.countMax { pausedUntil = now + Self.intervalMilliseconds }
        return taken
    }

    /// The time of the next report, in milliseconds of the monotonic clock; `nil` where none waits.
    var nextDue: UInt64? {
        var due: UInt64?
        for asset in waiting {
            guard let time = reported[asset] else { return pausedUntil }
            due = min(due ?? .max, time + Self.intervalMilliseconds)
        }
        return due.map { max($0, pausedUntil) }
    }
}
