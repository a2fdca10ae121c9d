import Wire

/// The times at which rights begin and end by the clock alone: no message announces them.
struct RightMoments: Sendable {
    /// The next one of a right of this account, or of a connected one, by the wall clock.
    private var next: UInt64?
    /// The same by the monotonic clock, as it stood beside the other one last.
    private(set) var deadline: UInt64?

    /// Whether a moment has come between two times; also if the clock was turned back between them.
    func hasCome(from before: UInt64, to wall: UInt64) -> Bool { wall < before || wall >= next ?? .max }

    /// Forgets the next moment, to determine it again.
    mutating func clear() { next = nil }

    /// Takes account of when rights of some accounts in one zone begin and end.
    ///
    /// A moment that turns out to change nothing only makes the core look once in vain.
    mutating func expect(_ authority: ZoneAuthority, of accounts: Set<AccountID>, after wall: UInt64) {
        guard let moment = authority.nextMoment(of: accounts, after: wall) else { return }
        next = min(moment, next ?? .max)
    }

    /// Determines when the core wants to be woken for a moment.
    mutating func plan(at now: UInt64, wall: UInt64) {
        deadline = nil
        guard let next, next > wall else { return }
        let (time, isOver) = now.addingReportingOverflow(next - wall)
        if !isOver { deadline = time }
    }
}
