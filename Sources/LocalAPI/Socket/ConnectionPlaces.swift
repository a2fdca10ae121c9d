import Synchronization

/// How many connections callers have that are not administrators: nobody may take all descriptors of the daemon.
final class ConnectionPlaces: Sendable {
    /// Of one user to which applications are bound; their event streams need one each.
    static let perBoundUser = 256
    /// Of one user who is nobody.
    static let perOtherUser = 8
    /// Of all users who are nobody.
    static let allOthers = 64

    private struct Place: Hashable {
        /// `nil` = whom the kernel did not name.
        var user: UInt32?
        var isBound: Bool
    }

    private struct State {
        var taken: [Place: Int] = [:]
        var others = 0
    }

    private let state = Mutex(State())

    /// Takes a place until ``release(_:user:)``.
    /// - Parameters:
    ///   - caller: Who connects.
    ///   - user: Its user.
    /// - Returns: Whether there was one.
    func take(_ caller: Caller, user: UInt32?) -> Bool {
        guard let place = Self.place(caller, user: user) else { return true }
        return state.withLock { state in
            let count = state.taken[place] ?? 0
            guard count < (place.isBound ? Self.perBoundUser : Self.perOtherUser) else { return false }
            guard place.isBound || state.others < Self.allOthers else { return false }
            state.taken[place] = count + 1
            if !place.isBound { state.others += 1 }
            return true
        }
    }

    /// Gives a place back.
    func release(_ caller: Caller, user: UInt32?) {
        guard let place = Self.place(caller, user: user) else { return }
        state.withLock { state in
            let count = state.taken[place] ?? 0
            state.taken[place] = count > 1 ? count - 1 : nil
            if !place.isBound { state.others -= 1 }
        }
    }

    private static func place(_ caller: Caller, user: UInt32?) -> Place? {
        switch caller {
        case .admin: nil
        case .bound: Place(user: user, isBound: true)
        case .other: Place(user: user, isBound: false)
        }
    }
}
