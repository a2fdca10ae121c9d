import Synchronization

/// Limits the connections of callers that are not administrators, so that none can take all descriptors of the
/// daemon.
final class ConnectionPlaces: Sendable {
    /// The maximum for one user to which applications are bound; their event streams need one each.
    static let perBoundUser = 256
    /// The maximum for one other user.
    static let perOtherUser = 8
    /// The maximum for all other users together.
    static let allOthers = 64

    private struct Place: Hashable {
        /// The user; `nil` if the kernel did not report one.
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
    ///   - caller: The process that connects.
    ///   - user: Its user.
    /// - Returns: Whether there was a free place.
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
