package import Wire

// Reports about the exchange of zones.
extension SyncCore {
    /// A run came in and is to be applied.
    func importing(_ zone: ZoneID, on id: SessionID, into effects: inout [SyncEffect]) {
        tell(.incoming, zone, by: sessions[id], state: .moving, into: &effects)
    }

    /// A run was applied, or refused, which may have ended its session.
    func imported(
        _ outcome: RunOutcome,
        of zone: ZoneID,
        by session: PeerSession?,
        into effects: inout [SyncEffect]
    ) {
        guard let session else { return }
        var count: UInt64 = 0
        if case .durable(_, let operations) = outcome { count = operations }
        let isMoving = session.applying.contains { $0.key.zone == zone }
        let theirs = session.zones[zone]?.theirs ?? [:]
        let isComplete = theirs.allSatisfy { (zones[zone]?.size($0.key) ?? 0) >= $0.value }
        tell(
            .incoming,
            zone,
            by: session,
            count: count,
            state: isMoving ? .moving : .resting(isComplete: isComplete),
            failure: Transfer.Failure(outcome),
            into: &effects
        )
    }

    /// A run is on its way to a peer.
    func exporting(_ zone: ZoneID, on id: SessionID, into effects: inout [SyncEffect]) {
        tell(.outgoing, zone, by: sessions[id], state: .moving, into: &effects)
    }

    /// A peer has acknowledged runs of ours.
    func exported(_ zone: ZoneID, count: UInt64, on id: SessionID, into effects: inout [SyncEffect]) {
        guard let session = sessions[id] else { return }
        let isMoving =
            session.inFlight.contains { $0.key.zone == zone } || session.reading.contains { $0.zone == zone }
            || session.dirty[zone]?.isEmpty == false
        tell(
            .outgoing,
            zone,
            by: session,
            count: count,
            state: isMoving ? .moving : .resting(isComplete: true),
            into: &effects
        )
    }

    /// A peer takes nothing just now.
    func paused(_ pause: Pause, on id: SessionID, into effects: inout [SyncEffect]) {
        let failure: Transfer.Failure = pause.reason == .diskFull ? .peerStorageFull : .peerBusy
        for zone in Set(sessions[id]?.inFlight.map(\.key.zone) ?? []).sorted() {
            tell(
                .outgoing,
                zone,
                by: sessions[id],
                state: .resting(isComplete: false),
                failure: failure,
                into: &effects
            )
        }
    }

    /// The number of operations that connected devices state that they hold and that are not here, by zone and
    /// device.
    ///
    /// Unwanted operations, which lie above a cut, are included for as long as the device names them.
    package var missing: [ZoneID: [DeviceID: UInt64]] {
        var found: [ZoneID: [DeviceID: UInt64]] = [:]
        for session in sessions.values where session.phase == .active {
            for (zone, progress) in session.zones {
                let count = progress.theirs.reduce(UInt64(0)) { sum, log in
                    let held = zones[zone]?.size(log.key) ?? 0
                    return sum &+ (log.value > held ? log.value - held : 0)
                }
                if count > 0 { found[zone, default: [:]][session.device] = count }
            }
        }
        return found
    }

    private func tell(
        _ direction: Transfer.Direction,
        _ zone: ZoneID,
        by session: PeerSession?,
        count: UInt64 = 0,
        state: Transfer.State,
        failure: Transfer.Failure? = nil,
        into effects: inout [SyncEffect]
    ) {
        guard let session, zones[zone]?.genesis.isInternal == false else { return }
        effects.append(
            .transfer(
                Transfer(
                    session: session.id,
                    direction: direction,
                    zone: zone,
                    peer: session.device,
                    account: session.account,
                    count: count,
                    state: state,
                    failure: failure
                )
            )
        )
    }
}

extension Transfer.Failure {
    /// Makes the failure of an import from the outcome of a run; `nil` where there is none.
    fileprivate init?(_ outcome: RunOutcome) {
        switch outcome {
        case .durable, .misplaced, .unexplained, .unwanted, .controlLogFull, .forkKnown: return nil
        case .violation, .brokenLog: self = .violation
        case .contradiction: self = .contradiction
        case .fork: self = .fork
        case .storageFull: self = .storageFull
        case .storageFailed: self = .storageFailed
        }
    }
}
