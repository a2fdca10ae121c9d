import Wire

/// Payloads that relays are asked to keep, and, on a relay, the sessions that wait for one to be there.
struct CustodyDesk: Sendable {
    /// A job and how far it is.
    struct Errand: Sendable {
        /// The progress of a job.
        enum Progress: Sendable {
            /// It was not sent, or not answered before its session ended.
            case due(from: UInt64)
            /// The relay was asked on a session.
            case asked(SessionID)
            /// The relay has answered on a session that it is done.
            case done(SessionID)
        }

        let job: CustodyJob
        var progress: Progress

        var session: SessionID? {
            switch progress {
            case .due: nil
            case .asked(let session), .done(let session): session
            }
        }
    }

    /// In the order of the store.
    var errands: [Errand] = []
    /// On a relay: requests that the store is looking at.
    var decidingCounts: [SessionID: Int] = [:]
    /// On a relay: the sessions that learn when a payload is there.
    var waiting: [PayloadID: [SessionID: CustodyRequest]] = [:]

    /// The number of jobs for which a relay has been asked on a session and has not answered.
    func askedCount(on id: SessionID) -> Int {
        errands.count { if case .asked(id) = $0.progress { true } else { false } }
    }

    /// On a relay: how many requests of a session are not answered.
    func pendingCount(of id: SessionID) -> Int {
        waiting.values.count { $0[id] != nil } + decidingCounts[id, default: 0]
    }

    /// Drops everything about sessions that are over.
    mutating func forget(allBut isThere: (SessionID) -> Bool, at now: UInt64) {
        for index in errands.indices {
            if let session = errands[index].session, !isThere(session) { errands[index].progress = .due(from: now) }
        }
        decidingCounts = decidingCounts.filter { isThere($0.key) }
        for (payload, sessions) in waiting {
            let left = sessions.filter { isThere($0.key) }
            waiting[payload] = left.isEmpty ? nil : left
        }
    }
}
