import Wire

/// Logs of accounts that a peer has and this device does not: asked for one after the other, since all of them at once may be more than
/// a connection takes, and each once in a session.
struct LogFetches: Sendable {
    /// The number of logs that a session asks for: as many as a device keeps.
    static let countMax = 1_024

    /// The one that is on its way.
    private(set) var current: AccountID?
    /// Those that come after it, in the order in which the peer named them.
    private var waiting: [AccountID] = []
    /// All accounts whose logs were ever to be requested.
    private var known: Set<AccountID> = []

    /// Takes one more.
    /// - Returns: Whether it is new, and has a place.
    mutating func add(_ account: AccountID) -> Bool {
        guard known.count < Self.countMax, known.insert(account).inserted else { return false }
        waiting.append(account)
        return true
    }

    /// Takes the next one that is to be asked for, unless one is on its way.
    /// - Parameter isNeeded: Whether a log is still not known.
    /// - Returns: The account; nil when there is none to be asked for now.
    mutating func next(isNeeded: (AccountID) -> Bool) -> AccountID? {
        guard current == nil else { return nil }
        guard let index = waiting.firstIndex(where: isNeeded) else { return nil }
        current = waiting[index]
        waiting.removeSubrange(...index)
        assert(waiting.allSatisfy { $0 != current }, "a log is fetched once in a session")
        return current
    }

    /// The last part of a log has come.
    /// - Returns: Whether it was the one on its way.
    mutating func ended(_ account: AccountID) -> Bool {
        guard current == account else { return false }
        current = nil
        return true
    }
}
