import Identity

// Rights that begin and end by the clock alone: no message announces it when it is time.
extension SyncCore {
    /// Goes by another time of the wall clock from now on.
    ///
    /// A clock that was set is noticed here with the next input, whatever way it was set.
    mutating func clockMoved(to wall: UInt64, at now: UInt64, into effects: inout [SyncEffect]) {
        let before = self.wall
        self.wall = wall
        guard wall < before || wall >= nextMoment ?? .max else { return }
        sharingRevision &+= 1
        for zone in authorities.keys.sorted() where authorities[zone]?.hasMoments == true {
            for id in sessions.keys.sorted() {
                guard let session = sessions[id], session.account != account,
                    standing(of: session.device, in: session.account) != .removed
                else { continue }
                let known = access(to: zone, for: session.device, of: session.account, at: before)
                compareAccess(to: zone, on: id, with: known, at: now, into: &effects)
                offerDeposit(of: zone, on: id, into: &effects)
            }
        }
        expectMoments()
    }

    /// Determines the next moment again: it has come, or a device of an account that was left out has connected.
    mutating func expectMoments() {
        nextMoment = nil
        for authority in authorities.values { expectMoments(of: authority) }
    }

    /// Takes account of when rights in one zone begin and end, those of this account and of connected accounts.
    ///
    /// A moment that turns out to change nothing only makes the core look once in vain.
    mutating func expectMoments(of authority: ZoneAuthority) {
        let others = Set(sessions.values.map(\.account)).subtracting([account])
        guard !others.isEmpty, let next = authority.nextMoment(of: others.union([account]), after: wall) else { return }
        nextMoment = min(next, nextMoment ?? .max)
    }

    /// The time at which the core wants to be woken for a moment, by the monotonic clock.
    func awaitedMoment(at now: UInt64) -> UInt64? {
        guard let nextMoment, nextMoment > wall else { return nil }
        let (deadline, isOver) = now.addingReportingOverflow(nextMoment - wall)
        return isOver ? nil : deadline
    }
}
