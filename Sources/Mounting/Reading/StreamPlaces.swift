internal import Synchronization

/// The places for answers that stay open: each holds a connection to the daemon.
///
/// Overflow policy: the answer that has rested for the longest time is closed; while all are in use, none is opened, and a reading has an
/// answer of its own.
final class StreamPlaces: Sendable {
    /// The maximum number of answers that stay open; the client has 64 connections.
    static let countMax = 32

    private struct Place {
        /// Has its holder close the answer.
        var evict: @Sendable () -> Void
        var isBusy: Bool
        var lastUse: UInt64
    }

    private struct State {
        var places: [UInt64: Place] = [:]
        var useCount: UInt64 = 0
    }

    private let countMax: Int
    private let state = Mutex(State())

    /// Makes places.
    init(countMax: Int = StreamPlaces.countMax) { self.countMax = countMax }

    /// The number of places that are taken.
    var count: Int { state.withLock { $0.places.count } }

    /// Takes a place for an open file, which uses it at once.
    /// - Parameters:
    ///   - file: The open file; it may have a place already.
    ///   - evict: Called when the place is given to another one.
    /// - Returns: Whether it has a place.
    func take(for file: UInt64, evict: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, evicted) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            state.useCount += 1
            let place = Place(evict: evict, isBusy: true, lastUse: state.useCount)
            guard state.places[file] == nil, state.places.count >= countMax else {
                state.places[file] = place
                return (true, nil)
            }
            let resting = state.places.filter { !$0.value.isBusy }.min { $0.value.lastUse < $1.value.lastUse }
            guard let resting else { return (false, nil) }
            state.places[resting.key] = nil
            state.places[file] = place
            return (true, resting.value.evict)
        }
        evicted?()
        return isTaken
    }

    /// Notes that an open file begins to use its place; does nothing if it has none.
    /// - Returns: Whether it still has a place.
    func use(for file: UInt64) -> Bool {
        state.withLock { state in
            state.useCount += 1
            guard state.places[file] != nil else { return false }
            state.places[file]?.isBusy = true
            state.places[file]?.lastUse = state.useCount
            return true
        }
    }

    /// Notes that an open file rests.
    /// - Parameters:
    ///   - file: The open file.
    ///   - isOpen: Whether its answer stays open; if not, the place is free.
    func rest(_ file: UInt64, isOpen: Bool) {
        state.withLock { state in
            if isOpen { state.places[file]?.isBusy = false } else { state.places[file] = nil }
        }
    }
}
