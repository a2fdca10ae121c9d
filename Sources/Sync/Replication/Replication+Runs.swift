import Identity
import Wire

// The store's answers about runs. A session may have ended meanwhile.
extension Replication {
    mutating func runRead(_ run: Run?, of key: LogKey, byteCount: Int, for id: SessionID) {
        if let head = run?.signedHead.head {
            assert(head.key == key, "the store answers with a run of the log that was asked for")
            context.rights.readOwn(head)
        }
        sessions[id]?.runRead(run, of: key, byteCount: byteCount, in: &context)
    }

    mutating func runReceived(_ run: Run, byteCount: Int, on id: SessionID) {
        let liveSet = liveSets[run.signedHead.head.zone]?.comparison
        if sessions[id]?.take(run, byteCount: byteCount, liveSet: liveSet, in: &context) == false {
            closeForViolation(id, "more bytes unacknowledged than the window allows")
        }
    }

    mutating func lateRunReceived(_ run: Run, byteCount: Int, on id: SessionID) {
        if sessions[id]?.takeLate(run, byteCount: byteCount, in: &context) == false {
            closeForViolation(id, "more bytes unanswered than the window allows")
        }
    }

    /// A run was taken in, or refused.
    mutating func runApplied(_ outcome: RunOutcome, of key: LogKey, on id: SessionID) {
        let applied = sessions[id]?.arriving.end(key)
        if let session = sessions[id], rights.isRemovedFellow(session) {
            sessions[id]?.lateRunApplied(outcome, of: key, in: &context)
            return
        }
        if let code = outcome.failureCode { reportFailure(key.zone, code, on: id) }
        var ended: PeerSession?
        switch outcome {
        case .durable(let size, let operations):
            durable(key, size: size, operations: operations, on: id)
        case .misplaced:
            sessions[id]?.refuse(key, in: &context)
        case .unexplained:
            sessions[id]?.refuse(key, in: &context)
            if applied?.hasLiveSet == true { liveSets.drop(key.zone) }
            if let session = sessions[id] { liveSets.ask(session, about: key.zone, forRun: true, in: &context) }
        case .unwanted(let size), .controlLogFull(let size):
            sessions[id]?.answer(key, size: size, in: &context)
        case .violation(let reason):
            ended = sessions[id]
            if ended != nil { closeForViolation(id, reason, in: key.zone) }
        case .brokenLog(let author, let reason):
            let anomaly = Anomaly(.brokenLog, author: author, zone: key.zone, detail: reason)
            if let session = sessions[id], session.device == author {
                ended = session
                closeForViolation(id, anomaly)
            } else {
                report(anomaly, on: id)
                // A later head may be a better one.
                sessions[id]?.refuse(key, in: &context)
            }
        case .contradiction:
            sessions[id]?.contradict(key, in: &context)
        case .fork(let proof):
            forked(proof)
            for other in ids where isShown(key, on: other) { send(.forkProof(proof), to: other) }
            if let applied { sessions[id]?.answer(key, size: applied.size, in: &context) }
        case .forkKnown(let proof, let size):
            sessions[id]?.answer(proof, of: key, size: size, in: &context)
        case .storageFull:
            sessions[id]?.pause(key, reason: .diskFull, in: &context)
        case .storageFailed:
            sessions[id]?.pause(key, reason: .busy, in: &context)
        }
        (sessions[id] ?? ended)?.reportImport(outcome, of: key.zone, in: &context)
    }

    private mutating func durable(_ key: LogKey, size: UInt64, operations: UInt64, on id: SessionID) {
        sessions[id]?.runDurable(key, size: size, in: context)
        // Nothing new was stored: it was held before and reported then, or lies above the cut.
        guard operations > 0 else {
            sessions[id]?.answer(key, size: size, in: &context)
            sessions[id]?.resume(in: &context)
            return
        }
        for other in ids where isShown(key, on: other) {
            sessions[other]?.acknowledge(key, size: size, in: &context)
        }
        sessions[id]?.resume(in: &context)
        guard let device = sessions[id]?.device else { return }
        context.report(.imported(zone: key.zone, peer: device, count: operations))
    }

    /// Whether a session is active and may receive a log.
    private func isShown(_ key: LogKey, on id: SessionID) -> Bool {
        sessions[id].map { $0.isActive && rights.isShown(key, to: $0) } ?? false
    }

    private mutating func reportFailure(_ zone: ZoneID, _ code: String, on id: SessionID) {
        guard let device = sessions[id]?.device else { return }
        context.report(.importFailed(zone: zone, peer: device, code: code))
    }
}

extension RunOutcome {
    /// The code of the report about a run that could not be taken in; `nil` for one that was, or that is not wanted.
    fileprivate var failureCode: String? {
        switch self {
        case .durable, .misplaced, .unexplained, .unwanted, .forkKnown: nil
        case .controlLogFull: "control_log_full"
        case .violation, .brokenLog: "violation"
        case .contradiction: "contradiction"
        case .fork: "fork"
        case .storageFull, .storageFailed: "storage"
        }
    }
}
