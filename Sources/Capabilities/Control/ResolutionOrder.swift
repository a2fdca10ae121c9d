import Wire

/// A place in the order in which control operations are read when order matters.
///
/// The rank is how many operations lie in the author's past, itself included. An operation that was made with another one
/// in view has all of that one's past in its own, so its rank is larger: the order goes with causality. And it is an order
/// regardless of the authors' claims, while claims of having seen each other may run in circles.
struct ResolutionOrder: Comparable, Hashable, Sendable {
    /// See above; saturates, so that absurd claims are equal.
    let rank: UInt64
    /// Decides among equal ranks.
    let hash: Hash

    init(_ entry: ControlEntry) {
        var rank = entry.place.counter
        for dot in entry.seen.entries where dot.actor != entry.place.actor {
            let (sum, overflows) = rank.addingReportingOverflow(dot.counter)
            rank = overflows ? .max : sum
        }
        self.rank = rank
        hash = entry.hash
    }

    static func < (left: Self, right: Self) -> Bool {
        left.rank == right.rank ? left.hash < right.hash : left.rank < right.rank
    }
}

extension ControlEntry {
    /// Whether another operation was made with this one in view.
    ///
    /// Irreflexive and without circles, because it implies a smaller ``ResolutionOrder``.
    func precedes(_ other: ControlEntry) -> Bool {
        other.hasSeen(place) && ResolutionOrder(self) < ResolutionOrder(other)
    }
}

extension [ControlEntry] {
    /// Those that none of the others precedes.
    /// - Parameter comparedCount: How often one was compared with a log; for measurements and tests.
    /// - Returns: At least one, unless there is none.
    /// - Complexity: O(n · (log n + logs · log n)); reads each one's vector once.
    func firstOnes(_ comparedCount: inout UInt64) -> [ControlEntry] {
        if count < 2 { return self }
        let ordered = map { (entry: $0, order: ResolutionOrder($0)) }
        let logs = ordered.leastOrders
        return ordered.filter { entry, order in
            !logs.contains { actor, places in
                comparedCount &+= 1
                let seen = actor == entry.place.actor ? Swift.max(entry.place.counter, 1) - 1 : entry.seen[actor]
                let count = places.partitioningIndex { $0.counter <= seen }
                return count > 0 && places[count - 1].least < order
            }
        }.map(\.entry)
    }

    /// Of operations of one log those that no other one of it follows.
    /// - Complexity: O(n log n).
    var lastOfLog: [ControlEntry] {
        var last: [ControlEntry] = []
        // The greatest order of all that stand behind a place; several operations at one place do not follow each other.
        var behind: (counter: UInt64, order: ResolutionOrder?) = (.max, nil)
        var here: ResolutionOrder?
        for entry in sorted(by: { $0.place.counter > $1.place.counter }) {
            let order = ResolutionOrder(entry)
            if entry.place.counter != behind.counter {
                behind = (entry.place.counter, [behind.order, here].compactMap(\.self).max())
                here = nil
            }
            here = Swift.max(here ?? order, order)
            if behind.order.map({ $0 < order }) ?? true { last.append(entry) }
        }
        return last
    }
}

extension [(entry: ControlEntry, order: ResolutionOrder)] {
    /// Of each log the least order of all up to a place, by places.
    fileprivate var leastOrders: [ActorID: [(counter: UInt64, least: ResolutionOrder)]] {
        var logs: [ActorID: [(counter: UInt64, least: ResolutionOrder)]] = [:]
        for (entry, order) in sorted(by: { $0.entry.place.counter < $1.entry.place.counter }) {
            let (actor, counter) = (entry.place.actor, entry.place.counter)
            let before = logs[actor]?.last
            if before?.counter == counter { logs[actor]?.removeLast() }
            logs[actor, default: []].append((counter, before.map { Swift.min($0.least, order) } ?? order))
        }
        return logs
    }
}
