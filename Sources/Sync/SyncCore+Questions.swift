package import Wire

// The facts that drivers and tests read from the core.
extension SyncCore {
    /// The limits of the core.
    package var limits: SyncLimits { replication.context.limits }

    /// The next time for a `tick`; `nil` while no session stands and no caller waits.
    /// - Complexity: O(sessions).
    package var nextDeadline: UInt64? {
        [
            replication.nextDeadline, guestOrders.nextDeadline, guests.nextDeadline, payloads.nextDeadline,
            custody.nextDeadline, evictions.nextDeadline,
        ].compactMap(\.self).min()
    }

    // MARK: Sessions

    /// The devices with an active session.
    package var connectedDevices: Set<DeviceID> {
        Set(replication.sessions.values.filter(\.isActive).map(\.device))
    }

    /// When a message was last received in a session, in milliseconds of the monotonic clock; nil where there is
    /// none.
    package func lastHeard(in id: SessionID) -> UInt64? { replication.sessions[id]?.liveness.lastHeard }

    /// Whether a session is past confirmation.
    package func isActive(_ id: SessionID) -> Bool { replication.sessions[id]?.isActive == true }

    /// The program at the other end of a session; nil where it is unknown.
    package func program(in id: SessionID) -> ProgramNote? { replication.sessions[id]?.program }

    /// The time at which peers were last asked whether they can connect to this device, by the monotonic clock.
    package var reachAskedAt: UInt64? { reach.askedAt }

    /// Whether a peer was asked and has not answered.
    package var awaitsReach: Bool {
        replication.sessions.values.contains { $0.reach.map { $0.answer == nil } ?? false }
    }

    /// Whether the peer of a session could connect to this device when it was last asked; nil where it was not, or
    /// has not answered.
    package func reach(in id: SessionID) -> ReachOutcome? { replication.sessions[id]?.reach?.answer?.outcome }

    /// The time at which the peer of a session answered, in milliseconds of the monotonic clock; nil where it has not.
    package func reachAnsweredAt(in id: SessionID) -> UInt64? { replication.sessions[id]?.reach?.answer?.at }

    // MARK: Zones

    /// Whether a device may receive more than control logs, as far as is known here.
    ///
    /// A device that ends a session because nothing is shared any more may not have come to say so: a device that has
    /// not learnt of the end tries again soon.
    /// - Parameters:
    ///   - device: The device.
    ///   - other: Its account.
    /// - Returns: True for devices of this account that were not removed.
    package func shares(with device: DeviceID, of other: AccountID) -> Bool {
        replication.rights.shares(with: device, of: other)
    }

    /// Returns the zones that a device of another account may receive in full, ascending.
    /// - Parameters:
    ///   - device: The device.
    ///   - other: Its account.
    /// - Returns: None for an account that shares nothing.
    package func sharedZones(with device: DeviceID, of other: AccountID) -> [ZoneID] {
        let rights = replication.rights
        return rights.authorities.keys.filter { rights.isShared($0, with: device, of: other) }.sorted()
    }

    /// Whether this device was removed and has writes that it has not delivered since the program started.
    ///
    /// Such a device dials the others of its account although none of them serves it.
    package var hasLateWrites: Bool { replication.rights.hasLateWrites }

    /// The number of operations that connected devices state that they hold and that are not here, by zone and
    /// device.
    ///
    /// Unwanted operations, which lie above a cut, are included for as long as the device names them; those of control
    /// logs under rights that are void, or not known here, are not.
    package var missing: [ZoneID: [DeviceID: UInt64]] {
        var found: [ZoneID: [DeviceID: UInt64]] = [:]
        for session in replication.sessions.values where session.isActive {
            for (zone, progress) in session.sending.zones {
                let snapshot = replication.rights.zones[zone]
                let count = progress.theirs.reduce(UInt64(0)) { sum, log in
                    if snapshot?.uncompared.contains(log.key) == true { return sum }
                    let held = snapshot?.size(log.key) ?? 0
                    return sum &+ (log.value > held ? log.value - held : 0)
                }
                if count > 0 { found[zone, default: [:]][session.device] = count }
            }
        }
        return found
    }

    // MARK: Payloads

    /// The payloads that are to be had, as far as the core knows of them.
    package var wantedPayloads: Set<PayloadID> { Set(payloads.wants.map(\.payload)) }

    /// The number of further payloads that the list has room for.
    package var payloadRoom: Int { max(0, limits.payloadWantCountMax - payloads.wants.count) }

    /// Whether ``takePayloadSearch(isNew:)`` may have a question.
    /// - Parameter isNew: Whether there may be wanted payloads that were not before.
    /// - Returns: False after most events.
    package func isPayloadSearchDue(isNew: Bool) -> Bool { payloads.isSearchDue(isNew: isNew, in: replication) }

    /// Returns the expectation of payloads, as far as the core knows of them.
    /// - Parameter payloads: The payloads.
    /// - Returns: Those of them that are wanted, or that no session had.
    /// - Complexity: O(payloads that the core knows · sessions).
    package func prospects(of payloads: Set<PayloadID>) -> [PayloadID: PayloadProspect] {
        self.payloads.prospects(of: payloads, replication)
    }

    /// The load of payloads, to check that it is bounded: how many are wanted, and how many bytes are on their way from one
    /// session and are read for one session at most; `nil` where there is nothing.
    package var payloadLoad: (wanted: Int, asked: Int, serving: Int)? {
        guard !payloads.wants.isEmpty || !payloads.serving.isEmpty else { return nil }
        let asked = replication.sessions.keys.map { payloads.askedByteCount(of: $0) }.max() ?? 0
        return (payloads.wants.count, asked, payloads.serving.values.max() ?? 0)
    }

    /// The relays of this account that have answered within the last ten minutes that they have no room for as much.
    /// - Parameters:
    ///   - byteCount: Bytes of a content, without padding.
    ///   - now: Milliseconds of the monotonic clock.
    /// - Returns: The relays.
    package func fullRelays(for byteCount: UInt64, at now: UInt64) -> Set<DeviceID> {
        custody.fullRelays(for: PayloadWriter.paddedByteCount(byteCount), at: now)
    }

    /// The load of custody, to check that it is bounded: jobs, the most requests to one relay without an answer, and
    /// the most that one session waits for.
    package var custodyLoad: (jobs: Int, asked: Int, pending: Int) {
        let asked = replication.sessions.keys.map { custody.askedCount(on: $0) }.max() ?? 0
        let pending = replication.sessions.keys.map { custody.pendingCount(of: $0) }.max() ?? 0
        return (custody.errands.count, asked, pending)
    }

    /// The load of evictions, to check that it is bounded: attempts and questions, the most requests to one device without an answer, and
    /// the most that one session waits for.
    package var evictionLoad: (polls: Int, asked: Int, pending: Int) {
        let asked = replication.sessions.keys.map { evictions.askedCount(on: $0) }.max() ?? 0
        return (evictions.polls.count, asked, evictions.decidingCounts.values.max() ?? 0)
    }
}
