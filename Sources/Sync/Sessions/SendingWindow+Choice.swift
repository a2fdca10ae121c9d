import Wire

// The choice of the next log to send, and the time of sending.
extension SendingWindow {
    /// Whether another run may be read: the window has room for it, or nothing at all is on its way.
    func hasRoom(_ limits: SyncLimits) -> Bool {
        guard reading.count < limits.readAheadCount, inFlight.count < limits.windowRunCount else { return false }
        let reserved = inFlightByteCount + reading.count * limits.runByteCount
        return reserved < limits.windowByteCount || (inFlight.isEmpty && reading.isEmpty)
    }

    /// Notes that a log has something to send; of two times the earlier one is kept.
    mutating func markDirty(_ key: LogKey, notBefore: UInt64, isForwarded: Bool, at now: UInt64) {
        idleUntil = min(idleUntil, notBefore)
        guard let waiting = dirty[key.zone]?[key] else {
            dirty[key.zone, default: [:]][key] = Waiting(since: now, notBefore: notBefore, isForwarded: isForwarded)
            return
        }
        dirty[key.zone]?[key]?.notBefore = min(waiting.notBefore, notBefore)
        dirty[key.zone]?[key]?.isForwarded = waiting.isForwarded && isForwarded
    }

    /// Notes that a log has nothing to send any more.
    mutating func clean(_ key: LogKey) {
        guard dirty[key.zone]?.removeValue(forKey: key) != nil else { return }
        if dirty[key.zone]?.isEmpty == true { dirty[key.zone] = nil }
        // Its zone's data may have waited for it.
        if key.lane == .control { idleUntil = 0 }
    }

    /// Notes that the store has answered.
    /// - Returns: Whether it was asked.
    mutating func finishReading(_ key: LogKey) -> Bool {
        idleUntil = 0
        return reading.remove(key) != nil
    }

    /// Returns the log to read next: control before data of the same zone, then logs nearly in step before logs far
    /// behind, so that a live change overtakes the bulk of other zones.
    /// - Complexity: O(logs with something to send), O(1) until something can have become ready.
    mutating func nextLog(at now: UInt64, _ limits: SyncLimits, size: (LogKey) -> UInt64) -> LogKey? {
        guard pausedUntil <= now, idleUntil <= now, hasRoom(limits) else { return nil }
        var best: (key: LogKey, deficit: UInt64)?
        var earliest = UInt64.max
        forEachReadable { key, waiting in
            let due = due(key, waiting, limits)
            earliest = min(earliest, due)
            guard due <= now else { return }
            let deficit = size(key) &- sentSize(key)
            guard let other = best else {
                best = (key, deficit)
                return
            }
            let left = (key.lane.rawValue, deficit)
            let right = (other.key.lane.rawValue, other.deficit)
            if left < right || (left == right && key < other.key) { best = (key, deficit) }
        }
        idleUntil = earliest
        return best?.key
    }

    /// The time at which the next run is to be read; `nil` while an event is awaited and not a time.
    func nextSend(_ limits: SyncLimits) -> UInt64? {
        guard idleUntil < .max, hasRoom(limits) else { return nil }
        return max(idleUntil, pausedUntil)
    }

    /// Visits the logs that may be read as far as other logs are concerned.
    ///
    /// Data waits for its zone's control lane: a run of data may name a checkpoint, which has to be known by then.
    private func forEachReadable(_ body: (LogKey, Waiting) -> Void) {
        var blocked: Set<ZoneID> = []
        for key in reading where key.lane == .control { blocked.insert(key.zone) }
        for (zone, logs) in dirty {
            let hasControl = blocked.contains(zone) || logs.keys.contains { $0.lane == .control }
            for (key, waiting) in logs where (key.lane == .control || !hasControl) && !reading.contains(key) {
                body(key, waiting)
            }
        }
    }

    /// Forwarding waits while another device delivers to the peer, but not for ever; control operations not for long,
    /// since data waits for them.
    private func due(_ key: LogKey, _ waiting: Waiting, _ limits: SyncLimits) -> UInt64 {
        guard waiting.isForwarded else { return waiting.notBefore }
        let longest =
            key.lane == .control ? limits.fedMilliseconds : limits.longestForwardDelayMilliseconds
        return max(waiting.notBefore, min(fedUntil, waiting.since + longest))
    }
}
