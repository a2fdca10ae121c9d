import Identity
import Records
import Wire

// Changes of zones, and of the rights in them: by an entry, or by the clock alone.
extension Replication {
    // MARK: Zones

    /// A zone is known, or has changed.
    mutating func zoneChanged(_ snapshot: ZoneSnapshot, before: [LogKey: UInt64], tails: [LogKey: LogTail]) {
        context.tails = tails
        defer { context.tails = [:] }
        let earlier = context.rights.take(snapshot)
        if earlier?.isUnverified == true, !snapshot.isUnverified { liveSets.forget(snapshot.zone) }
        for id in ids { sessions[id]?.zoneChanged(snapshot, from: earlier, before: before, in: &context) }
    }

    /// Stops synchronising a zone.
    mutating func forget(_ zone: ZoneID) {
        context.rights.forget(zone)
        liveSets.forget(zone)
        for id in ids { sessions[id]?.zoneEnded(zone, in: context) }
    }

    /// Handles the fork of a log, which ends there from now on.
    mutating func forked(_ proof: ForkProof) {
        for id in ids { sessions[id]?.sending.forked(proof.first.head.key) }
    }

    /// Takes in the proof of a fork from a peer.
    mutating func take(_ proof: ForkProof, on id: SessionID) {
        guard let session = sessions[id], rights.view(proof.first.head.zone, for: session) != nil else { return }
        forked(proof)
        context.write(.record(proof))
    }

    // MARK: Rights

    /// Replaces the rights in a zone.
    /// - Returns: How much of the zone each session could receive until now.
    mutating func take(_ authority: ZoneAuthority) -> [SessionID: ZoneAccess] {
        let before = sessions.mapValues { rights.access(to: authority.zone, for: $0) }
        context.rights.take(authority)
        return before
    }

    /// Applies the rights in a zone, which were replaced just before.
    mutating func rightsChanged(_ authority: ZoneAuthority, since before: [SessionID: ZoneAccess]) {
        let zone = authority.zone
        expectMoments(of: authority)
        for id in ids where sessions[id]?.account != rights.account {
            sessions[id]?.compareAccess(to: zone, with: before[id], in: &context)
            sessions[id]?.askForAccounts(of: authority, in: &context)
            sessions[id]?.offerDeposit(of: zone, in: &context)
        }
        for id in ids where sessions[id]?.account == rights.account {
            sessions[id]?.compareAccess(to: zone, with: before[id], in: &context)
            sessions[id]?.askForAccounts(of: authority, in: &context)
        }
    }

    /// Goes by another time of the wall clock from now on.
    ///
    /// A clock that was set is noticed here with the next input, whatever way it was set.
    mutating func clockMoved(to wall: UInt64) {
        let before = rights.wall
        context.rights.wall = wall
        guard moments.hasCome(from: before, to: wall) else { return }
        context.rights.momentCame()
        for zone in rights.authorities.keys.sorted() where rights.authorities[zone]?.hasMoments == true {
            for id in ids {
                guard let session = sessions[id], session.account != rights.account,
                    rights.standing(of: session.device, in: session.account) != .removed
                else { continue }
                let known = rights.access(to: zone, for: session.device, of: session.account, at: before)
                sessions[id]?.compareAccess(to: zone, with: known, in: &context)
                sessions[id]?.offerDeposit(of: zone, in: &context)
            }
        }
        expectMoments()
    }

    /// Determines the next moment again: it has come, or a device of an account that was left out has connected.
    mutating func expectMoments() {
        moments.clear()
        for authority in rights.authorities.values { expectMoments(of: authority) }
    }

    private mutating func expectMoments(of authority: ZoneAuthority) {
        let accounts = Set(sessions.values.map(\.account)).union([rights.account])
        if accounts.count > 1 { moments.expect(authority, of: accounts, after: rights.wall) }
    }
}
