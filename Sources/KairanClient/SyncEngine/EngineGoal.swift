/// A state of a sync engine that an application waits for.
package enum EngineGoal: Sendable, Hashable {
    /// All that others have changed until now is fetched, and the application has dealt with it.
    case fetched
    /// No pending change is left to send, and the application has learned the outcome of each.
    case sent
}

/// The outcome of waiting for a goal.
package enum GoalOutcome: Sendable, Hashable {
    /// It is reached.
    case reached
    /// An attempt failed.
    case failed(Problem)
}

extension EngineCore {
    /// Starts to work for a goal of a caller: failed attempts are repeated at once.
    package mutating func begin(_ goal: EngineGoal) {
        switch goal {
        case .fetched:
            wantZones()
            looksEverywhere = true
            fetchPause.succeed()
            fetchFailure = nil
        case .sent:
            sendPause.succeed()
            zoneChangePause.succeed()
            sendFailure = nil
        }
    }

    /// The outcome of a goal so far.
    /// - Returns: `nil` while it is worked for.
    package func outcome(of goal: EngineGoal) -> GoalOutcome? {
        guard !hasSomethingToTell else { return nil }
        switch goal {
        case .fetched:
            if let fetchFailure { return .failed(fetchFailure) }
            return areZonesOld || looksEverywhere || !dirtyZones.isEmpty ? nil : .reached
        case .sent:
            if let sendFailure { return .failed(sendFailure) }
            return hasSomethingToSend ? nil : .reached
        }
    }
}
