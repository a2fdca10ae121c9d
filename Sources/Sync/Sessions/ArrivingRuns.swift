import Wire

/// The runs of a peer that were received and not applied yet, and those that did not fit.
struct ArrivingRuns: Sendable {
    /// A run that was received and is not applied yet.
    struct Applying: Sendable {
        var key: LogKey
        var size: UInt64
        var byteCount: Int
        /// Whether it is applied with a live set from a peer.
        var hasLiveSet = false
    }

    private(set) var applying: [Applying] = []
    /// Our sizes of logs at which we answered the peer that its run did not fit.
    private(set) var refusedAt: [LogKey: UInt64] = [:]
    /// Whether the peer was paused, since storage failed here.
    private(set) var isPausing = false
    /// The number of heads that were examined although the runs under them were not taken.
    private var headCount = 0

    /// How many heads of this device's own logs are examined in a session under runs that are not taken: enough for
    /// one of each log of a lifetime in each zone that people have, and no work without a bound.
    private static let headCountMax = 256

    /// Adds a run to those that are being applied.
    /// - Returns: False where the bytes of these show that the peer ignores the window.
    mutating func begin(_ run: Applying, _ limits: SyncLimits) -> Bool {
        guard applying.reduce(0, { $0 &+ $1.byteCount }) <= limits.receivedByteCountMax else { return false }
        applying.append(run)
        return true
    }

    /// Counts a head that is examined although the run under it is not taken.
    /// - Returns: False where there have been too many.
    mutating func examinesHead() -> Bool {
        guard headCount < Self.headCountMax else { return false }
        headCount += 1
        return true
    }

    /// The store has answered about the first run of a log.
    mutating func end(_ key: LogKey) -> Applying? {
        applying.firstIndex { $0.key == key }.map { applying.remove(at: $0) }
    }

    func isApplying(_ zone: ZoneID) -> Bool { applying.contains { $0.key.zone == zone } }

    /// Notes that a run did not fit.
    ///
    /// Runs that the peer had sent behind that one do not fit either: it is answered once for each place, else it
    /// would begin again with every answer.
    /// - Parameters:
    ///   - key: The log.
    ///   - size: Our size of it.
    ///   - isRepeated: Whether it may be such a run.
    /// - Returns: Whether the peer is to be answered.
    mutating func refuse(_ key: LogKey, at size: UInt64, isRepeated: Bool) -> Bool {
        if isRepeated, refusedAt[key] == size { return false }
        if refusedAt.count < Limits.logCountMax || refusedAt[key] != nil { refusedAt[key] = size }
        return true
    }

    /// A run of a log fits now.
    mutating func forgetRefusal(of key: LogKey) { refusedAt[key] = nil }

    /// Runs of a zone that were refused may fit now.
    mutating func forgetRefusals(of zone: ZoneID) { refusedAt = refusedAt.filter { $0.key.zone != zone } }

    mutating func pause() { isPausing = true }

    /// Storage works again: the peer need not wait for its pause to end.
    /// - Returns: Whether it was paused.
    mutating func resume() -> Bool {
        defer { isPausing = false }
        return isPausing
    }
}
